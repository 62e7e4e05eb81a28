package generator

func engineKinds() []Kind { return nil }
