/** Hundreds of teams, projects, variables, hooks and whatever else settings have lists of. */
import { REPO, WORKSPACE, type Filling } from './filling.ts'
import { longLine } from './texts.ts'

const AT = `/repos/${REPO}`
const OF = `/workspaces/${WORKSPACE}`

export async function fillSettings({ ask, times }: Filling): Promise<string[]> {
  await ask('PATCH', OF, { name: longLine(80), description: longLine(9_000) })
  await ask('PATCH', '/user', { bio: longLine(280), company: longLine(80), location: longLine(80) })
  await times(120, (at) =>
    ask('POST', `${OF}/teams`, { name: `Team ${at}`, description: longLine(340, at) }),
  )
  await times(100, (at) =>
    ask('POST', `${OF}/projects`, {
      slug: `project-${at}`,
      name: longLine(80, at),
      description: longLine(150, at),
      repos: [REPO],
    }),
  )
  await times(150, (at) =>
    ask('POST', `${AT}/actions/variables`, {
      setting: `VARIABLE_${at}`,
      value: longLine(60_000, at),
      note: longLine(280, at),
    }),
  )
  await times(100, (at) =>
    ask('POST', `${AT}/actions/secrets`, {
      setting: `SECRET_${at}`,
      value: 'secret',
      note: longLine(280, at),
    }),
  )
  await times(100, (at) =>
    ask('POST', `${AT}/hooks`, { url: `https://example.com/${'long/'.repeat(300)}${at}` }),
  )
  await times(60, (at) =>
    ask('POST', `${AT}/rulesets`, {
      name: longLine(90, at),
      rules: [{ type: 'deletion' }],
      conditions: {
        ref_name: {
          include: Array.from({ length: 100 }, (_, by) => `refs/heads/${'long/'.repeat(30)}${by}`),
        },
      },
    }),
  )
  await times(60, (at) =>
    ask('PUT', `${AT}/environments/${'kitchen-'.repeat(10)}${at}`, {
      reviewers: ['ada'],
      branches: Array.from({ length: 50 }, (_, by) => `${'long/'.repeat(30)}${by}`),
    }),
  )
  await times(60, (at) =>
    ask('POST', `${AT}/actions/runners`, {
      name: longLine(90, at).replace(/[^\w ]/g, ''),
      labels: Array.from({ length: 40 }, (_, by) => `label-${by}-${'long'.repeat(10)}`),
    }),
  )
  await times(100, (at) =>
    ask('POST', `${OF}/tokens`, { name: longLine(60, at), scopes: [] }).catch(() => {}),
  )
  await times(100, (at) =>
    ask('POST', '/repos', {
      workspace: WORKSPACE,
      name: `r${at}-${'a-repository-'.repeat(7)}`,
      description: longLine(340, at),
      private: false,
    }),
  )
  const settings = [
    '',
    '/collaborators',
    '/variables',
    '/environments',
    '/runners',
    '/hooks',
    '/rulesets',
    '/keys',
    '/mirror',
    '/run-storage',
  ]
  return [
    `/${WORKSPACE}`,
    '/explore',
    '/ada',
    '/',
    '/notifications',
    '/admin/audit',
    ...[
      'members',
      'teams',
      'projects',
      'settings',
      'settings/tokens',
      'audit',
      'activity',
      'variables',
      'runners',
      'hooks',
      'rulesets',
      'integrations',
    ].map((rest) => `/${WORKSPACE}/-/${rest}`),
    ...settings.map((rest) => `/${REPO}/settings${rest}`),
    `/${REPO}/settings/rulesets/insights`,
  ]
}
