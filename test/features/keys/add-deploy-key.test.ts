import { expect, test } from 'bun:test'
import { addDeployKey } from '#features/keys/add-deploy-key.ts'
import { addKey } from '#features/keys/add-key.ts'
import { findKeyCaller, findSshCaller } from '#features/keys/index.ts'
import { newSshKey } from '../../ssh.ts'
import { refusal } from '../../world.ts'
import { makeLfsWorld, OTHER, REPO } from '../lfs/fixture.ts'

test('a deploy key reads one repository, or writes it when that was chosen', async () => {
  const { world, ada, mia, repo } = await makeLfsWorld()
  const add = (line: string, by = ada, input: { read_only?: boolean; repo?: string } = {}) =>
    world.call(addDeployKey, by, { repo: REPO, title: 'server', key: line, ...input })
  const first = newSshKey()
  const made = await add(first.line)
  expect(made).toMatchObject({ title: 'server', read_only: true, created_by: { username: 'ada' } })
  expect(findSshCaller(world.hearth, made.fingerprint)).toMatchObject({
    id: made.id,
    repo: REPO,
    caller: { kind: 'workspace', token: { scopes: ['code:read'], repos: [repo.id], role: 'read' } },
  })
  const writes = await add(newSshKey().line, ada, { read_only: false })
  expect(findKeyCaller(world.hearth, writes.id)).toMatchObject({
    token: { scopes: ['code:read', 'code:write'], role: 'write' },
  })
  expect((await refusal(add(newSshKey().line, mia))).status).toBe(403)
})

test('a key stands for one repository or one account', async () => {
  const { world, ada, otto } = await makeLfsWorld()
  const { line } = newSshKey()
  await world.call(addDeployKey, ada, { repo: REPO, title: 'server', key: line })
  const again = world.call(addDeployKey, ada, { repo: OTHER, title: 'server', key: line })
  expect((await refusal(again)).reason).toBe('already_exists')
  const person = world.call(addKey, otto, { title: 'laptop', key: line })
  expect((await refusal(person)).reason).toBe('already_exists')
  const own = newSshKey()
  await world.call(addKey, otto, { title: 'laptop', key: own.line })
  const taken = world.call(addDeployKey, ada, { repo: REPO, title: 'server', key: own.line })
  expect((await refusal(taken)).reason).toBe('already_exists')
  const none = world.call(addDeployKey, ada, { repo: REPO, title: 'server', key: 'ssh-dss AAAA' })
  expect((await refusal(none)).field).toBe('key')
})

test('a key for signing alone lets nobody in, nor does that of a suspended account', async () => {
  const { world, otto } = await makeLfsWorld()
  const signing = await world.call(addKey, otto, {
    title: 'signs',
    key: newSshKey().line,
    usage: 'signing',
  })
  expect(findSshCaller(world.hearth, signing.fingerprint)).toBeNull()
  const both = await world.call(addKey, otto, { title: 'both', key: newSshKey().line })
  expect(findSshCaller(world.hearth, both.fingerprint)?.caller.id).toBe(otto.id)
  await world.write(
    (tx) => void tx.db.run('UPDATE users SET suspended_at = ? WHERE id = ?', tx.now, otto.id),
  )
  expect(findSshCaller(world.hearth, both.fingerprint)).toBeNull()
})
