import { expect, test } from 'bun:test'
import { listAuditLog } from '#features/audit/list-audit-log.ts'
import { listSecrets } from '#features/variables/list-secrets.ts'
import { openSecrets } from '#features/variables/index.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { refusal, workspaceCaller } from '../../world.ts'
import { makeVariablesWorld, REPO, WORKSPACE } from './fixture.ts'

const VALUE = 'correct horse battery staple'

const scopeOf = (repo: { id: string }, workspace_id: string) => ({
  repo_id: repo.id,
  workspace_id,
  environment: null,
})

test('a job opens it, and no answer, event, log or row holds its value', async () => {
  const { world, ada, repo, secret, everything } = await makeVariablesWorld()
  const made = await secret('token', { value: VALUE })
  expect([made.name, made.value]).toEqual(['TOKEN', null])
  const { workspace_id } = world.hearth.facts.repo('acme/site', ada) ?? { workspace_id: '' }
  const scope = scopeOf(repo, workspace_id)
  expect([...openSecrets(world.hearth, scope, null)]).toEqual([['TOKEN', VALUE]])

  // Without a value the secret keeps its own.
  await secret('TOKEN', { note: 'for the shop' })
  expect(openSecrets(world.hearth, scope, new Set(['TOKEN'])).get('TOKEN')).toBe(VALUE)
  expect(openSecrets(world.hearth, scope, new Set(['OTHER'])).size).toBe(0)

  const answers = [
    await world.call(listSecrets, ada, REPO),
    await world.call(listEvents, ada, REPO),
    await world.call(listAuditLog, ada, WORKSPACE),
  ]
  const forms = [VALUE, btoa(VALUE), encodeURIComponent(VALUE), Buffer.from(VALUE).toString('hex')]
  for (const text of [everything(), JSON.stringify(answers)])
    expect(forms.filter((form) => text.includes(form))).toEqual([])
  const audit = await world.call(listAuditLog, ada, WORKSPACE)
  expect(
    audit.items.map(({ action }) => action).filter((action) => action.startsWith('secret')),
  ).toEqual(['secret.updated', 'secret.set'])
})

test('a sealed value that is copied to another row cannot be opened', async () => {
  const { world, ada, repo, secret } = await makeVariablesWorld()
  const first = await secret('FIRST', { value: VALUE })
  const second = await secret('SECOND', { value: 'another value' })
  await world.write(
    (tx) =>
      void tx.db.run(
        'UPDATE setting_rows SET value = (SELECT value FROM setting_rows WHERE id = ?) WHERE id = ?',
        first.id,
        second.id,
      ),
  )
  const { workspace_id } = world.hearth.facts.repo('acme/site', ada) ?? { workspace_id: '' }
  expect(() => openSecrets(world.hearth, scopeOf(repo, workspace_id), new Set(['SECOND']))).toThrow(
    'SECOND cannot be read',
  )
})

test('only people set secrets', async () => {
  const { world, ada, secret } = await makeVariablesWorld()
  const acme = world.hearth.facts.workspace('acme', ada)
  const token = workspaceCaller(
    { id: acme?.id ?? '', slug: 'acme' },
    { scopes: ['secrets:admin'], role: 'admin' },
  )
  for (const target of [REPO, WORKSPACE])
    expect((await refusal(secret('A', { value: 'x' }, target, token as never))).reason).toBe(
      'person_required',
    )
  expect((await refusal(secret('A', { value: '' }))).field).toBe('value')
})
