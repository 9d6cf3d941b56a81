/** A workspace with a project of two repositories, one of them private, and an issue in each. */
import { getProjectBoard, moveCard, setProjectBoard } from '#features/boards/index.ts'
import { createIssue, getIssue } from '#features/issues/index.ts'
import { createProject, setBasePermission } from '#features/workspaces/index.ts'
import { makeWorld } from '../../world.ts'

export async function seeded() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const out = await world.user('out')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada })
  await world.repo('acme/secret', { as: ada, private: true })
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'none' })
  await world.call(createProject, ada, {
    workspace: 'acme',
    slug: 'oven',
    repos: ['acme/site', 'acme/secret'],
  })
  const open = async (repo: string, title: string, labels: string[] = []) =>
    (await world.call(createIssue, ada, { repo, title, labels })).number
  const board = async (as = ada, input: object = {}) =>
    world.call(getProjectBoard, as, { workspace: 'acme', project: 'oven', ...input })
  /** The columns as lists of titles. */
  const titles = async (as = ada, input: object = {}) =>
    Object.fromEntries(
      (await board(as, input)).columns.map(({ name, cards }) => [
        name,
        cards.map(({ title }) => title).sort(),
      ]),
    )
  const move = (
    repo: string,
    number: number,
    column: string,
    as = ada,
    place: { before?: string; after?: string } = {},
  ) => world.call(moveCard, as, { repo, number, project: 'oven', column, ...place })
  const issue = async (repo: string, number: number) =>
    (await world.call(getIssue, ada, { repo, number })).issue
  const setColumns = (
    columns: { name: string; kind: 'open' | 'label' | 'closed'; label?: string }[],
    as = ada,
  ) => world.call(setProjectBoard, as, { workspace: 'acme', project: 'oven', columns })
  return { world, ada, bob, out, open, board, titles, move, issue, setColumns }
}
