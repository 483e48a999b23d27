// A program that commands, senses and asks, for one robot of controller_avoid.
#include <cmath>
#include <cstdio>
#include <webots/DistanceSensor.hpp>
#include <webots/Motor.hpp>
#include <webots/Robot.hpp>

int main() {
  webots::Robot robot;
  webots::Motor *left = robot.getMotor("left wheel motor");
  webots::Motor *right = robot.getMotor("right wheel motor");
  webots::DistanceSensor *eye = robot.getDistanceSensor("front eye");
  eye->enable(16);
  left->enableTorqueFeedback(32);
  left->setPosition(INFINITY);
  right->setPosition(INFINITY);
  int late = 0;
  for (int k = 0; k < 200; k++) {
    const double seen = eye->getValue();
    left->setVelocity(5.0 + k % 7);
    right->setVelocity(seen > 100 ? 3.0 : 5.0 + k % 5);
    if (k == 20)
      left->setAcceleration(30.0);
    if (k == 60)
      right->setTorque(0.1);
    if (k == 80) {
      right->setPosition(INFINITY);
      right->setAvailableTorque(0.3);
    }
    std::printf("%d %.17g %.17g %.17g %.17g %.17g\n", late, robot.getTime(), seen,
                left->getTorqueFeedback(), left->getTargetPosition(), right->getVelocity());
    late = robot.step(k % 10 ? 16 : 40);
  }
  while (robot.step(16) != -1) {
  }
  return 0;
}
