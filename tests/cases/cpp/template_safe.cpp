unsigned nondet_uint();

template <typename T, unsigned N> struct Ring {
    T data[N];
    unsigned head = 0;
    Ring() : data() {}
    void put(T x)
    {
        data[head] = x;
        head = (head + 1u) % N;
    }
};

int main()
{
    Ring<int, 4> r;
    for (unsigned i = 0; i < 6u; ++i) {
        r.put(static_cast<int>(i));
    }
    return r.data[nondet_uint() % 4u];
}
