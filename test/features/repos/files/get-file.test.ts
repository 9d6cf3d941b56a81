import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getFile } from '#features/repos/files/get-file.ts'
import { guide, makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, one, two } = await makeCode()

test('text with its lines and addresses', async () => {
  const file = await world.call(getFile, anonymous, { repo, path: 'docs/guide.md' })
  expect(file).toMatchObject({
    path: 'docs/guide.md',
    ref: 'main',
    commit_sha: two,
    lines: 12,
    from_line: 1,
    to_line: 12,
    encoding: 'utf-8',
    content: guide,
    truncated: false,
    binary: false,
    language: 'Markdown',
    lfs: null,
    html_url: 'https://hearth.test/acme/site/blob/main/docs/guide.md',
  })
  expect(
    await world.call(getFile, anonymous, {
      repo,
      path: '/docs/guide.md',
      from_line: 3,
      to_line: 4,
    }),
  ).toMatchObject({
    content: 'line 3\nline 4\n',
    from_line: 3,
    to_line: 4,
    truncated: false,
  })
  expect(
    (await world.call(getFile, anonymous, { repo, path: 'a.ts', ref: one.slice(0, 7) })).content,
  ).toBe('a\n')
})

test('what is not a file is told apart', async () => {
  expect((await refusal(world.call(getFile, anonymous, { repo, path: 'missing' }))).status).toBe(
    404,
  )
  expect(
    (await refusal(world.call(getFile, anonymous, { repo, path: 'a.ts', ref: 'missing' }))).status,
  ).toBe(404)
  expect(await refusal(world.call(getFile, anonymous, { repo, path: 'docs' }))).toMatchObject({
    status: 422,
    field: 'path',
  })
  expect((await refusal(world.call(getFile, anonymous, { repo, path: '../x' }))).status).toBe(422)
  expect(
    (await refusal(world.call(getFile, anonymous, { repo, path: 'a.ts', from_line: 9 }))).status,
  ).toBe(422)
})

test('an empty repository has none', async () => {
  await world.repo('acme/empty')
  expect(
    (await refusal(world.call(getFile, anonymous, { repo: 'acme/empty', path: 'x' }))).status,
  ).toBe(404)
})
