import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { listTags } from '#features/repos/tags/list-tags.ts'
import { refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

const repo = 'acme/site'

test('a tag with a message is annotated in the caller’s name; one without only names the commit', async () => {
  const { world, ada, bob, audits } = await makeLife()
  const head = await world.commit(repo, 'main', { 'b.txt': 'b\n' })
  const light = await world.call(createTag, bob, { repo, tag: 'v1.0', target: 'main' })
  expect(light).toMatchObject({
    name: 'v1.0',
    target: head,
    object_sha: head,
    message: null,
    tagger: null,
  })
  const annotated = await world.call(createTag, bob, {
    repo,
    tag: 'release/2',
    target: 'v1.0',
    message: 'The second\n\nwith a body',
  })
  expect(annotated).toMatchObject({
    name: 'release/2',
    target: head,
    message: 'The second\n\nwith a body\n',
    tagger: { name: 'bob', actor: { username: 'bob' } },
    created_at: '2026-03-01T12:00:00.000Z',
  })
  expect(annotated.object_sha).not.toBe(head)
  expect((await world.call(listTags, ada, { repo })).items).toContainEqual(annotated)
  expect(
    world
      .events('git.push')
      .slice(-2)
      .map(({ data }) => [data.ref, data.created, data.before]),
  ).toEqual([
    ['refs/tags/v1.0', true, null],
    ['refs/tags/release/2', true, null],
  ])
  expect(audits('tag.created').length).toBe(2)
})

test('what exists, what no tag can be called, and what cannot be reached is refused', async () => {
  const { world, bob, eve } = await makeLife()
  await world.call(createTag, bob, { repo, tag: 'v1', target: 'main' })
  const before = world.events().length
  expect(
    await refusal(world.call(createTag, bob, { repo, tag: 'v1', target: 'main' })),
  ).toMatchObject({ status: 409, reason: 'already_exists' })
  expect(
    await refusal(world.call(createTag, bob, { repo, tag: 'v1/rc', target: 'main' })),
  ).toMatchObject({ status: 409, reason: 'already_exists' })
  for (const tag of ['', 'a..b', '-x', 'x y', 'HEAD', 'f'.repeat(40)])
    expect(await refusal(world.call(createTag, bob, { repo, tag, target: 'main' }))).toMatchObject({
      status: 422,
      field: 'tag',
    })
  expect(
    await refusal(world.call(createTag, bob, { repo, tag: 'v2', target: 'main', message: 'a\0b' })),
  ).toMatchObject({ status: 422, field: 'message' })
  expect(
    await refusal(world.call(createTag, bob, { repo, tag: 'v2', target: 'none' })),
  ).toMatchObject({ status: 404, field: 'target' })
  expect(
    (await refusal(world.call(createTag, eve, { repo, tag: 'v2', target: 'main' }))).status,
  ).toBe(403)
  expect(world.events().length).toBe(before)
  // Objects of a fork are in the same store and no part of the repository.
  const { pull } = await world.call(createPull, eve, { repo, title: 'Theirs' })
  const theirs = await world.commit(
    `${repo}/pull/${pull.number}`,
    'main',
    { 'x.txt': 'x\n' },
    { as: eve },
  )
  expect(
    await refusal(world.call(createTag, bob, { repo, tag: 'v2', target: theirs })),
  ).toMatchObject({ status: 404, field: 'target' })
})
