#ifndef STEERING_H
#define STEERING_H

void steering(const float inputs[3], float motors[2]);

#endif
