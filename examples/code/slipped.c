/* The steering network as firmware, with a slip in the second layer: distance, heading and speed in, left and right motor out. */
#include "steering.h"

static const float w1[8][3] = {
    {-0.5556f, -0.9175f, -0.1721f},
    {0.2913f, 0.7871f, 0.0760f},
    {-0.3829f, -0.5437f, 0.5187f},
    {1.1326f, 0.1890f, -0.8545f},
    {-0.6639f, 1.1085f, 0.1406f},
    {-1.2001f, -0.0580f, -0.8059f},
    {-0.4360f, -0.3381f, -0.4942f},
    {0.3834f, -0.0437f, -0.4084f},
};
static const float b1[8] = {0.1229f, 0.2490f, -0.4929f, -0.0770f, -0.2942f, -0.0519f, -0.3868f, 0.0062f};

static const float w2[8][8] = {
    {-0.0161f, -0.1291f, -0.4446f, -0.1681f, -0.4630f, -0.5750f, 0.0954f, -0.4707f},
    {0.4965f, 0.3040f, -0.8476f, 0.1155f, -0.4674f, 0.0140f, 0.0185f, -0.8436f},
    {-0.0990f, -0.1085f, 0.4081f, -0.5012f, 0.3131f, -0.4663f, -0.1406f, -0.3566f},
    {0.6146f, 0.2411f, 1.0317f, 0.2723f, 0.3585f, 0.3567f, -0.2574f, -0.0297f},
    {0.5729f, -0.1682f, 0.0801f, -0.0090f, 0.2585f, -0.1548f, -0.0646f, 0.1028f},
    {0.0437f, -0.3670f, 0.3800f, -0.5509f, -0.5096f, -0.5441f, 0.4103f, -0.1530f},
    {-0.4120f, -0.4820f, 0.1787f, -0.4475f, -0.5397f, 0.2605f, -0.5077f, -0.1368f},
    {-0.0029f, -0.1889f, -0.0230f, 0.5680f, -0.2193f, -0.5343f, -0.7793f, -0.0869f},
};
static const float b2[8] = {-0.1057f, 0.0795f, -0.1393f, -0.1436f, -0.2164f, -0.1559f, 0.0481f, -0.1141f};

static const float w3[2][8] = {
    {0.0426f, 0.8066f, 0.2033f, -0.6687f, 0.7355f, 0.1476f, -0.3994f, 0.3848f},
    {0.0075f, -0.2610f, -0.2688f, -0.4215f, 0.0204f, 0.4535f, -0.1379f, 0.1785f},
};
static const float b3[2] = {0.5627f, -0.3644f};

static float relu(float x)
{
    return x > 0.0f ? x : 0.0f;
}

void steering(const float inputs[3], float motors[2])
{
    float hidden1[8], hidden2[8];

    for (int i = 0; i < 8; i++) {
        float sum = 0.0f;
        for (int j = 0; j < 3; j++)
            sum += w1[i][j] * inputs[j];
        hidden1[i] = relu(sum + b1[i]);
    }
    for (int i = 0; i < 8; i++) {
        float sum = 0.0f;
        for (int j = 0; j < 8; j++)
            sum += w2[i][j] * hidden1[j];
        hidden2[i] = relu(sum + b1[i]);
    }
    for (int i = 0; i < 2; i++) {
        float sum = 0.0f;
        for (int j = 0; j < 8; j++)
            sum += w3[i][j] * hidden2[j];
        motors[i] = sum + b3[i];
    }
}
