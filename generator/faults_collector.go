package generator

func collectorKinds() []Kind { return nil }
