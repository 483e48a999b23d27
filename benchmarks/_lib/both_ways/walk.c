/* A program that commands, senses and asks, for one robot of controller_avoid. */
#include <math.h>
#include <stdio.h>
#include <webots/distance_sensor.h>
#include <webots/motor.h>
#include <webots/robot.h>

int main() {
  wb_robot_init();
  const WbDeviceTag left = wb_robot_get_device("left wheel motor");
  const WbDeviceTag right = wb_robot_get_device("right wheel motor");
  const WbDeviceTag eye = wb_robot_get_device("front eye");
  wb_distance_sensor_enable(eye, 16);
  wb_motor_enable_torque_feedback(left, 32);
  wb_motor_set_position(left, INFINITY);
  wb_motor_set_position(right, INFINITY);
  int late = 0;
  for (int k = 0; k < 200; k++) {
    const double seen = wb_distance_sensor_get_value(eye);
    wb_motor_set_velocity(left, 5.0 + k % 7);
    wb_motor_set_velocity(right, seen > 100 ? 3.0 : 5.0 + k % 5);
    if (k == 20)
      wb_motor_set_acceleration(left, 30.0);
    if (k == 60)
      wb_motor_set_torque(right, 0.1);
    if (k == 80) {
      wb_motor_set_position(right, INFINITY);
      wb_motor_set_available_torque(right, 0.3);
    }
    printf("%d %.17g %.17g %.17g %.17g %.17g\n", late, wb_robot_get_time(), seen,
           wb_motor_get_torque_feedback(left), wb_motor_get_target_position(left),
           wb_motor_get_velocity(right));
    late = wb_robot_step(k % 10 ? 16 : 40);
  }
  while (wb_robot_step(16) != -1) {
  }
  wb_robot_cleanup();
  return 0;
}
