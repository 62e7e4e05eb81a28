package generator

func workloadKinds() []Kind { return nil }
