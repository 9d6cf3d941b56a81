import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.apache.maven.artifact.versioning.ComparableVersion;

/** Reads lines of two versions with a blank between them; prints -1, 0 or 1 for each. */
class CompareMaven {
  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    StringBuilder out = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] pair = line.split(" ");
      int order = new ComparableVersion(pair[0]).compareTo(new ComparableVersion(pair[1]));
      out.append(Integer.signum(order)).append('\n');
    }
    System.out.print(out);
  }
}
