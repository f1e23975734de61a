// A slice of a loop that a function below the layer has: refused at line 5: "is no for loop of layer itself".
// --slice 0=2
static void inner(const signed char *in, signed char *out)
{
    for (int i = 0; i < 16; i++)
        out[i] = (signed char)(in[i] + i);
}
static void layer(const signed char *in, signed char *out)
{
    inner(in, out);
}
void run(const signed char x[static 16], signed char y[static 16])
{
    layer(x, y);
}
