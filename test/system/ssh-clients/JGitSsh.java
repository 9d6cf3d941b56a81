import java.io.File;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.List;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.TransportConfigCallback;
import org.eclipse.jgit.transport.*;
import org.eclipse.jgit.transport.sshd.*;

/** JGit with Apache MINA: {@code <action> <directory> <address> <key> [ref]}. */
class JGitSsh {
  static SshdSessionFactory sessions(File home, Path key) {
    return new SshdSessionFactoryBuilder()
        .setHomeDirectory(home).setSshDirectory(home).setPreferredAuthentications("publickey")
        .setDefaultIdentities(any -> List.of(key))
        .setServerKeyDatabase((any, other) -> new ServerKeyDatabase() {
          public List<PublicKey> lookup(String address, InetSocketAddress remote, Configuration config) { return List.of(); }
          public boolean accept(String address, InetSocketAddress remote, PublicKey known, Configuration config, CredentialsProvider provider) { return true; }
        })
        .build(null);
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("version")) {
      System.out.println(Git.class.getPackage().getImplementationVersion());
      return;
    }
    File directory = new File(args[1]);
    SshdSessionFactory sessions = sessions(directory.getParentFile(), Path.of(args[3]));
    TransportConfigCallback ssh = transport -> ((SshTransport) transport).setSshSessionFactory(sessions);
    if (args[0].equals("clone"))
      Git.cloneRepository().setURI(args[2]).setDirectory(directory).setBare(true).setTransportConfigCallback(ssh).call().close();
    else
      try (Git git = Git.open(directory)) {
        if (args[0].equals("fetch"))
          git.fetch().setRemote("origin").setRefSpecs("+refs/heads/*:refs/heads/*").setTransportConfigCallback(ssh).call();
        else
          for (PushResult result : git.push().setRemote("origin").setRefSpecs(new RefSpec(args[4] + ":" + args[4])).setTransportConfigCallback(ssh).call())
            for (RemoteRefUpdate update : result.getRemoteUpdates())
              if (update.getStatus() != RemoteRefUpdate.Status.OK) throw new Exception(update.toString());
      }
    System.exit(0);
  }
}
