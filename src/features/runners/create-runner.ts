import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { addRunner } from './add-runner.ts'
import { runnerInputs } from './inputs.ts'
import { runnerOwnerOf, runnerRoutes, writesRunners } from './owner.ts'
import { NewRunner } from './schema.ts'

export const createRunner = operation({
  name: 'create_runner',
  summary:
    "Add a runner to a repository (Admin) or a workspace (Owners), by a person. Answers the runner with its registration token, shown once: Gitea's and Forgejo's runners register with it.",
  keywords: ['registration token of a runner', 'self-hosted runner', 'connect a build machine'],
  route: runnerRoutes('POST'),
  toolset: 'workflows',
  access: writesRunners,
  input: Type.Object({ ...ownerInput, ...runnerInputs }),
  output: NewRunner,
  status: 201,
  secretAnswer: true,

  handler: ({ caller, repo, workspace, write }, input) =>
    write((tx) =>
      addRunner(tx, runnerOwnerOf({ repo, workspace }), input, {
        id: caller.id,
        workspace_id: repo?.workspace_id ?? workspace?.id ?? null,
      }),
    ),
})
