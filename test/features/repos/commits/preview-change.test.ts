import { expect, test } from 'bun:test'
import { previewChange } from '#features/repos/index.ts'
import { makeWorld, refusal } from '../../../world.ts'

test('a preview is the change that a commit would show, and nothing is written', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  const repo = 'acme/site'
  await world.repo(repo, { as: ada, private: true })
  const sha = await world.commit(repo, 'main', { 'a.txt': 'one\ntwo\n' })
  const ask = (input: { path: string; from?: string; content: string }) =>
    world.call(previewChange, ada, { repo, ref: sha, ...input })
  expect(await ask({ path: 'a.txt', from: 'a.txt', content: 'one\n2\n' })).toMatchObject({
    status: 'modified',
    additions: 1,
    deletions: 1,
    hunks: [{ old_start: 1 }],
  })
  expect(await ask({ path: 'b.txt', from: 'a.txt', content: 'one\ntwo\n' })).toMatchObject({
    status: 'renamed',
    old_path: 'a.txt',
    hunks: [],
  })
  expect(await ask({ path: 'new.txt', content: 'x' })).toMatchObject({
    status: 'added',
    additions: 1,
    deletions: 0,
  })
  expect(
    await ask({ path: 'a.txt', from: 'a.txt', content: 'x'.repeat(1024 * 1024 + 1) }),
  ).toMatchObject({ reason: 'too_large', hunks: [] })
  expect((await refusal(ask({ path: '../a', content: 'x' }))).status).toBe(422)
  expect(
    (
      await refusal(
        world.call(previewChange, await world.user('eve'), {
          repo,
          ref: sha,
          path: 'a.txt',
          content: '',
        }),
      )
    ).status,
  ).toBe(404)
})
