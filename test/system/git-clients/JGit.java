import java.io.File;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.transport.*;

/** JGit as a client: {@code <action> <directory> <address> <user> <password> [ref]}; ends with 3 for what it cannot do. */
class JGit {
  public static void main(String[] args) throws Exception {
    String action = args[0];
    if (action.equals("version")) {
      System.out.println(Git.class.getPackage().getImplementationVersion());
      return;
    }
    File directory = new File(args[1]);
    CredentialsProvider person = new UsernamePasswordCredentialsProvider(args[3], args[4]);
    switch (action) {
      case "clone", "shallow" -> {
        var clone = Git.cloneRepository().setURI(args[2]).setDirectory(directory).setBare(true).setCredentialsProvider(person);
        if (action.equals("shallow")) clone.setDepth(1);
        clone.call().close();
      }
      case "fetch" -> {
        try (Git git = Git.open(directory)) {
          git.fetch().setRemote("origin").setRefSpecs("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*").setCredentialsProvider(person).call();
        }
      }
      case "push" -> {
        try (Git git = Git.open(directory)) {
          for (PushResult result : git.push().setRemote("origin").setRefSpecs(new RefSpec(args[5] + ":" + args[5])).setCredentialsProvider(person).call())
            for (RemoteRefUpdate update : result.getRemoteUpdates())
              if (update.getStatus() != RemoteRefUpdate.Status.OK) throw new Exception(update.toString());
        }
      }
      default -> System.exit(3);
    }
  }
}
