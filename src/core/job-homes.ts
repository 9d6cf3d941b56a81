/**
 * Files in the homes of jobs: settings by which programs find this forge. Features that answer such
 * programs add theirs, and runners write them, without knowing each other.
 */
import { extensionPoint } from './extension-points.ts'
import type { Hearth } from './hearth.ts'

export type JobHome = {
  /** The slug of the workspace of the job. */
  readonly workspace: string
  /** Where the job reaches this site; the address of the site unless it has a door. */
  readonly site_url: string
  /** The token of the job. */
  readonly token: string
}

/** Answers files by their path below the home. Nobody but the job may read them. */
export type JobHomeFiles = (hearth: Hearth, job: JobHome) => Readonly<Record<string, string>>

export const jobHomeFiles = extensionPoint<JobHomeFiles>('core.job_home_files')
