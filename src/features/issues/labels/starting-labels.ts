/** Adds the default labels to a new repository. */
import { reaction } from '#core/events.ts'
import { repoCreated } from '#features/repos/index.ts'
import { STARTING_LABELS } from './colors.ts'
import { insertLabel } from './store-labels.ts'

export const addStartingLabels = reaction(
  'issues: labels of a new repository',
  repoCreated,
  (tx, { repo_id }) => {
    if (repo_id === null) return
    for (const label of STARTING_LABELS) insertLabel(tx, { repo_id, ...label })
  },
)
