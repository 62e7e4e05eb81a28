// Package atom holds the ATOM adapters that really existed, from the producer
// before #3964 ("main") to the state that its last review asked for
// ("review"). There is one derivation; a [Version] is data, one small
// enumeration per row of the table in accounting.md section 7.
package atom
