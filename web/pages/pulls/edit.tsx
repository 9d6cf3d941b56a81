import { readPull, updatePull } from '#features/pulls/index.ts'
import { getRepo, listBranches } from '#features/repos/index.ts'
import { Checkbox, Select } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import { redirectWithFlash, form, page } from '../../site.ts'
import { editedOf, EditRecord, typedOr } from '../issues/edit-fields.tsx'
import { loadSideChoices } from '../issues/side-load.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { fieldError } from '../shell.tsx'
import { t } from '../../text.ts'

export const editPullPage = page({
  path: '/:workspace/:repo/pull/:number/edit',
  load: async (visit) => {
    const name = repoOf(visit)
    const number = numberOf(visit)
    if (number === null) return null
    const repo = await visit.call(getRepo, { repo: name })
    const [pull, choices, branches] = await Promise.all([
      visit.call(readPull, { repo: name, number }),
      loadSideChoices(visit, repo, { mayChoose: repo.permissions.triage }),
      visit.call(listBranches, { repo: name, per_page: 100 }),
    ])
    return {
      repo,
      pull,
      choices,
      branches: branches.items.map((branch) => branch.name),
    }
  },
  view: ({ repo, pull, choices, branches }, visit) => {
    const open = pull.status === 'draft' || pull.status === 'open'
    const bases = branches.includes(pull.base.ref) ? branches : [pull.base.ref, ...branches]
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
              <Select
                name="base"
                label={t('Base branch')}
                required
                options={bases.map((value) => ({ value, label: value }))}
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
