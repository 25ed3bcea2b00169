"""Control flow: where it goes (`graph`), loops and the order of blocks (`order`), which registers are needed
where (`liveness`), what instructions use (`uses`), the blocks of the instrumentation (`handlers`), and
strongly connected components of any graph (`components`)."""
