/** The programs that may have the containers of jobs. */
import { dockerEngine } from './docker-engine.ts'
import type { ContainerEngine } from './engine.ts'
import { podmanEngine } from './podman-engine.ts'

export type EngineName = ContainerEngine['name']

export const engineOf = (name: EngineName): ContainerEngine =>
  name === 'docker' ? dockerEngine : podmanEngine
