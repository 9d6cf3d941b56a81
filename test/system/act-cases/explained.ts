/** Cases of act that end otherwise here, with the reason of each. */
export const EXPLAINED: Readonly<Record<string, string>> = {
  'issue-1195 push': 'act names the owner of a repository nektos',
  'runs-on push': 'act names the person nektos/act',
  'commands push': 'the command set-env is not obeyed, as on GitHub since 2020',
  'workdir push': 'the sandbox has no folder /root',
  'defaults-run push': 'asks for $SHELL of the image of act; act itself leaves it out without one',
  'if-env-act push': 'only act sets the variable ACT',
  'networking push': 'installs packages as root of a container',
  'uses-workflow pull_request':
    'passes a secret that the called workflow does not declare, which GitHub refuses',
  'workflow_call_inputs workflow_call': 'inputs have no type, which GitHub requires',
  'workflow_dispatch workflow_dispatch': 'takes required inputs from a file of the event',
  'docker-action-custom-path push': 'writes a Dockerfile by a shell of its own and builds it',
}
