package generator

func recordsKinds() []Kind { return nil }
