/* The motor law and ODE's step, in C: what a motor costs without Python.

   The functions of ODE come as pointers, so that neither its headers nor its
   library are needed to compile this. */

typedef double (*get_angle_t)(void *joint);
typedef void (*set_param_t)(void *joint, int parameter, double value);
typedef int (*step_t)(void *world, double period);

/* One motor: its settings, then what it remembers. */
typedef struct {
  double target, velocity, acceleration, p, i, d;
  double integral, error, command;
} Motor;

static double clamp(double value, double limit) {
  return value > limit ? limit : value < -limit ? -limit : value;
}

/* As law.py has it: PID, velocity clamp, acceleration limit (-1: none). */
static double law(Motor *motor, double q, double period) {
  double error = motor->target - q;
  double derivative = (error - motor->error) / period;
  double wanted;
  motor->integral += error * period;
  motor->error = error;
  wanted = clamp(motor->p * error + motor->i * motor->integral +
                     motor->d * derivative,
                 motor->velocity);
  if (motor->acceleration == -1) return motor->command = wanted;
  return motor->command += clamp(wanted - motor->command,
                                 motor->acceleration * period);
}

void run(step_t step, get_angle_t get_angle, set_param_t set_param,
         int velocity_parameter, void *world, void **joints, Motor *motors,
         int n, double period, int steps) {
  for (; steps > 0; --steps) {
    for (int i = 0; i < n; ++i) {
      double q = get_angle(joints[i]);
      set_param(joints[i], velocity_parameter, law(&motors[i], q, period));
    }
    step(world, period);
  }
}
