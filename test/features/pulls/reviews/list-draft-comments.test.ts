import { expect, test } from 'bun:test'
import { reviewing } from '../reviewing.ts'

test('one sees one’s own, in the order they were written, with the commit that they are on', async () => {
  const { mel, max, number, keep, kept, pull } = await reviewing()
  await keep(mel, 12, 'First')
  await keep(max, 3, 'Of somebody else')
  await keep(mel, 3, 'Second')
  expect(await kept(mel)).toMatchObject([
    {
      body: 'First',
      line: 12,
      path: 'a.txt',
      side: 'new',
      start_line: null,
      commit: pull(number).head_sha,
    },
    { body: 'Second', line: 3 },
  ])
})
