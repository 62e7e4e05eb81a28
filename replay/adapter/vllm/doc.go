// Package vllm holds the adapters that answer for vLLM runs.
package vllm
