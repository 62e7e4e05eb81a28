package generator

func fileKinds() []Kind { return nil }
