import { expect, test } from 'bun:test'
import type { Caller } from '#core/caller.ts'
import { updateEmailSettings } from '#features/accounts/emails/update-email-settings.ts'
import { getEmailSettings } from '#features/accounts/emails/get-email-settings.ts'
import { readRef, repoByPath } from '#features/repos/index.ts'
import { push } from '#features/repos/push/push.ts'
import { recordActor } from '#features/accounts/index.ts'
import { agentOf, makeWorld } from '../../../world.ts'

const world = await makeWorld()
const { hearth } = world
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada, members: [bob] })
const repo = await world.repo('acme/site', { as: ada })
const row = repoByPath(hearth.db, 'acme/site')
if (!row) throw new Error('the repository is missing')
const { private_address } = await world.call(getEmailSettings, ada, {})

const commit = async (
  parent: string | null,
  author: string,
  committer = author,
): Promise<string> => {
  const by = (email: string) => ({ name: 'Ada', email, time: 1_772_000_000, zone: '+0000' })
  const changes = [
    {
      action: 'put' as const,
      path: 'a.txt',
      data: new TextEncoder().encode(`${author} ${committer} ${parent}`),
    },
  ]
  return (
    await hearth.git.commitFiles(row.store, {
      parent,
      changes,
      message: 'Change',
      author: by(author),
      committer: by(committer),
    })
  ).commit
}
const send = async (caller: Caller, branch: string, to: string): Promise<string | null> => {
  const name = `refs/heads/${branch}`
  const { results } = await world.call(push, caller as never, {
    repo: 'acme/site',
    updates: [{ name, old: readRef(hearth.db, repo.id, name), new: to }],
  })
  return results[0]?.refused ?? null
}

test('pushes that show a private address are refused once the person says so, whoever of theirs pushes', async () => {
  const old = await commit(null, 'ada@example.com')
  expect(await send(ada, 'main', old)).toBeNull()
  await world.call(updateEmailSettings, ada, { block_private_pushes: true })

  const shown = await commit(old, 'ADA@Example.com', 'other@example.com')
  const why = await send(ada, 'author', shown)
  expect(why).toContain(shown.slice(0, 7))
  expect(why).toContain(private_address)
  expect(readRef(hearth.db, repo.id, 'refs/heads/author')).toBeNull()
  expect(
    await send(ada, 'committer', await commit(old, 'other@example.com', 'ada@example.com')),
  ).toContain('private address')
  // Below the tip too, and by an agent of hers.
  const below = await commit(await commit(old, 'ada@example.com'), private_address)
  expect(await send(ada, 'below', below)).toContain('private address')
  await world.write((tx) =>
    recordActor(tx, {
      id: 'agt_bot',
      kind: 'agent',
      username: 'ada/bot',
      name: null,
      on_behalf_of: ada.id,
    }),
  )
  expect(await send(agentOf(ada, repo, { id: 'agt_bot' }), 'agent', shown)).toContain(
    'private address',
  )
})

test('what was there before, the private address, and other people are let through', async () => {
  const tip = readRef(hearth.db, repo.id, 'refs/heads/main')
  const hidden = await commit(tip, private_address)
  expect(await send(ada, 'hidden', hidden)).toBeNull()
  expect(await send(ada, 'again', hidden)).toBeNull()
  expect(await send(bob, 'bobs', await commit(tip, 'ada@example.com'))).toBeNull()
  await world.call(updateEmailSettings, ada, { block_private_pushes: false })
  expect(await send(ada, 'free', await commit(hidden, 'ada@example.com'))).toBeNull()
})
