// A program that commands, senses and asks, for one robot of controller_avoid.
import com.cyberbotics.webots.controller.DistanceSensor;
import com.cyberbotics.webots.controller.Motor;
import com.cyberbotics.webots.controller.Robot;

public class Walk {
  public static void main(String[] args) {
    final Robot robot = new Robot();
    final Motor left = robot.getMotor("left wheel motor"), right = robot.getMotor("right wheel motor");
    final DistanceSensor eye = robot.getDistanceSensor("front eye");
    eye.enable(16);
    left.enableTorqueFeedback(32);
    left.setPosition(Double.POSITIVE_INFINITY);
    right.setPosition(Double.POSITIVE_INFINITY);
    int late = 0;
    for (int k = 0; k < 200; k++) {
      final double seen = eye.getValue();
      left.setVelocity(5.0 + k % 7);
      right.setVelocity(seen > 100 ? 3.0 : 5.0 + k % 5);
      if (k == 20)
        left.setAcceleration(30.0);
      if (k == 60)
        right.setTorque(0.1);
      if (k == 80) {
        right.setPosition(Double.POSITIVE_INFINITY);
        right.setAvailableTorque(0.3);
      }
      System.out.println(late + " " + robot.getTime() + " " + seen + " " + left.getTorqueFeedback()
                         + " " + left.getTargetPosition() + " " + right.getVelocity());
      late = robot.step(k % 10 != 0 ? 16 : 40);
    }
    while (robot.step(16) != -1) {
    }
  }
}
