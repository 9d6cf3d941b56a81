// What pages call the parts and states of imports.
import type { Import } from '#features/imports/index.ts'
import { texts } from '../../text.ts'

export const STEP_TEXTS: Record<Import['steps'][number]['name'], string> = texts({
  code: 'Code',
  large_files: 'Large files',
  wiki: 'Wiki',
  collaborators: 'Members',
  labels: 'Labels',
  milestones: 'Milestones',
  issues: 'Issues',
  pulls: 'Pull requests',
  comments: 'Comments',
  reviews: 'Reviews',
  timeline: 'Timeline',
  releases: 'Releases',
  attachments: 'Attachments',
})

export const IMPORT_STATE_TEXTS: Record<Import['state'], string> = texts({
  queued: 'Queued',
  running: 'Running',
  waiting_for_limit: 'Waiting, because the other forge limits requests',
  done: 'Done',
  done_with_errors: 'Done, with errors',
  failed: 'Failed',
  cancelled: 'Cancelled',
})
