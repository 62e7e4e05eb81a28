package generator

// MinuteSpec is a 60-slice run on one prefill and one decode worker.
func MinuteSpec(seed uint64) Spec {
	s := benchSpec()
	s.Seed = seed
	return s
}
