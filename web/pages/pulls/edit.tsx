import { readPull, updatePull } from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { Checkbox } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import { redirectWithFlash, form, page } from '../../site.ts'
import { editedOf, EditRecord, typedOr } from '../issues/edit-fields.tsx'
import { loadSideChoices } from '../issues/side-load.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { BranchPicker, loadPickableBranches } from '../repos/name-pickers.tsx'
import { fieldError } from '../shell.tsx'
import { t } from '../../text.ts'

export const editPullPage = page({
  path: '/:workspace/:repo/pull/:number/edit',
  load: async (visit) => {
    const name = repoOf(visit)
    const number = numberOf(visit)
    if (number === null) return null
    const repo = await visit.call(getRepo, { repo: name })
    const { triage } = repo.permissions
    const pull = await visit.call(readPull, { repo: name, number })
    const [choices, branches] = await Promise.all([
      loadSideChoices(visit, name, pull.labels, triage),
      loadPickableBranches(visit, name),
    ])
    return { repo, pull, choices, branches }
  },
  view: ({ repo, pull, choices, branches }, visit) => {
    const open = pull.status === 'draft' || pull.status === 'open'
    const { values } = visit.form
    return (
      <EditRecord
        visit={visit}
        repo={repo}
        record={pull}
        what="pull request"
        here={pullPath(repo.full_name, pull.number)}
        choices={choices}
        own={['base']}
        more={
          open && (
            <>
              <BranchPicker
                name="base"
                label={t('Base branch')}
                names={branches}
                value={typedOr(visit, 'base', pull.base.ref)}
                error={fieldError(visit, 'base')}
              />
              {repo.permissions.write && (
                <>
                  <input type="hidden" name="merging" value="1" />
                  <Checkbox
                    name="auto_merge"
                    label={t('Auto-merge')}
                    hint={t('Merges once all requirements are met.')}
                    checked={values.has('merging') ? values.ticked('auto_merge') : pull.auto_merge}
                  />
                </>
              )}
            </>
          )
        }
      />
    )
  },
})

export const editPullForm = form({
  path: '/:workspace/:repo/pull/:number/edit',
  page: editPullPage,
  operation: updatePull,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    number: numberOf(visit) ?? 0,
    ...editedOf(fields),
    base: fields.optional('base'),
    ...(fields.has('merging') ? { auto_merge: fields.ticked('auto_merge') } : {}),
  }),
  done: (pull, visit) => redirectWithFlash(visit, pullPath(pull.repo, pull.number), 'saved'),
})
