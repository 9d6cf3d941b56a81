/** The API reference of the whole forge has every operation in the part that it is about. */
import { expect, test } from 'bun:test'
import { runForge } from '../../features/oauth/running.ts'

const forge = await runForge()

test('operations are in the part of what they are about', async () => {
  const { paths } = (await (await fetch(`${forge.url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>
  }
  const parts = new Map(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId, tags: [tag] }) => [operationId, tag]),
  )
  expect(Object.fromEntries(parts)).toMatchObject({
    list_runner_queue: 'Runners',
    list_runner_queue_in_repo: 'Runners',
    list_site_runner_queue: 'Administration',
    get_merge_queue: 'Pull requests',
    get_site_status: 'Administration',
    move_card: 'Projects',
    search: 'Search and notifications',
  })
  expect([...parts].filter(([, tag]) => tag === 'Other')).toEqual([])
})
