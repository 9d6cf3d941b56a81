import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { addRunner } from './add-runner.ts'
import { runnerInputs } from './inputs.ts'
import { SITE } from './owner.ts'
import { NewRunner } from './schema.ts'

export const createSiteRunner = operation({
  name: 'create_site_runner',
  summary:
    'Add a runner that serves every repository of this installation. Answers the runner with its registration token, shown once. For site administrators, people only.',
  keywords: ['shared runner', 'registration token for the site'],
  route: 'POST /admin/runners',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object(runnerInputs),
  output: NewRunner,
  status: 201,
  secretAnswer: true,

  handler: ({ caller, write }, input) =>
    write((tx) => addRunner(tx, SITE, input, { id: caller.id, workspace_id: null })),
})
