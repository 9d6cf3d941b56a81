/** A workspace with shortcuts for its projects. */
import { createProject } from '#features/workspaces/create-project.ts'
import { listProjects } from '#features/workspaces/list-projects.ts'
import { updateProject } from '#features/workspaces/update-project.ts'
import { makeWorld } from '../../world.ts'

export async function seeded() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const out = await world.user('out')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada })
  await world.repo('acme/secret', { as: ada, private: true })
  const make = (slug: string, input: object = {}, as = ada) =>
    world.call(createProject, as, { workspace: 'acme', slug, ...input })
  const change = (project: string, input: object, as = ada) =>
    world.call(updateProject, as, { workspace: 'acme', project, ...input })
  const list = async (as = ada) => (await world.call(listProjects, as, { workspace: 'acme' })).items
  return { world, ada, bob, out, make, change, list }
}
