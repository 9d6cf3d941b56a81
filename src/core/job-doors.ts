/**
 * Doors of jobs: sockets by which a job in a sandbox reaches this forge, and nothing else of the
 * machine. The HTTP server opens them, because it has the routes; runners ask for them.
 */
import { service } from './service.ts'

export type JobDoorOptions = {
  /** The path of the socket, in a folder of its own. */
  readonly socket: string
  /** The address by which the job reaches the door, without a slash at the end. */
  readonly address: string
  /** The tokens of the job; requests with others are refused. */
  readonly secrets: readonly string[]
}

export type JobDoor = { close(): Promise<void> }
export type OpenJobDoor = (options: JobDoorOptions) => Promise<JobDoor>

/** `open` is null while no server responds. */
export const jobDoors = service('job doors', (): { open: OpenJobDoor | null } => ({ open: null }))
