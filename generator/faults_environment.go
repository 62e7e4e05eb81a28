package generator

func environmentKinds() []Kind { return nil }
