import { expect, test } from 'bun:test'
import { compareCommits, listChangedFiles } from '#features/repos/index.ts'
import { makeWorld, refusal } from '../../../world.ts'

test('all changed files are listed without their lines, and a page of a comparison has its own files alone', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  const repo = 'acme/site'
  await world.repo(repo, { as: ada, private: true })
  const base = await world.commit(repo, 'main', { 'gone.txt': 'a\n' })
  const files = Object.fromEntries(
    Array.from({ length: 7 }, (_, at) => [`src/file${at}.txt`, `${at}\n`]),
  )
  const head = await world.commit(repo, 'main', { ...files, 'gone.txt': null })
  const { items, more } = await world.call(listChangedFiles, ada, { repo, base, head })
  expect([items.length, items[0], more]).toEqual([
    8,
    { path: 'gone.txt', old_path: null, status: 'removed', additions: 0, deletions: 1 },
    false,
  ])
  expect((await world.call(listChangedFiles, ada, { repo, head })).items).toHaveLength(7)
  expect((await refusal(world.call(listChangedFiles, ada, { repo, head: 'nowhere' }))).status).toBe(
    404,
  )

  const pages = await Promise.all(
    [1, 2, 3].map((page) =>
      world.call(compareCommits, ada, { repo, basehead: `${base}...${head}`, per_page: 3, page }),
    ),
  )
  expect(pages.map((page) => page.files.map(({ path }) => path))).toEqual([
    ['gone.txt', 'src/file0.txt', 'src/file1.txt'],
    ['src/file2.txt', 'src/file3.txt', 'src/file4.txt'],
    ['src/file5.txt', 'src/file6.txt'],
  ])
  expect(pages.map(({ totals, truncated }) => [totals.files, truncated])).toEqual([
    [8, true],
    [8, true],
    [8, false],
  ])
})
