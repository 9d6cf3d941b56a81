import { getPull, updatePull } from '#features/pulls/index.ts'
import { getRepo, listBranches } from '#features/repos/index.ts'
import { Button, Card, Checkbox, Field, Form, FormActions, PageHead, Select, TextArea } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import { flashTo, form, page } from '../../site.ts'
import { numberOf } from '../issues/issue.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'

const FIELDS = ['title', 'body', 'base', 'labels', 'assignees']

export const editPullPage = page({
  path: '/:workspace/:repo/pull/:number/edit',
  load: async (visit) => {
    const name = repoOf(visit)
    const number = numberOf(visit)
    if (number === null) return null
    const [repo, pull] = await Promise.all([visit.call(getRepo, { repo: name }), visit.call(getPull, { repo: name, number })])
    return { repo, pull, branches: (await visit.call(listBranches, { repo: name, per_page: 100 })).items.map((branch) => branch.name) }
  },
  view: ({ repo, pull, branches }, visit) => {
    const typed = visit.form.values
    const kept = (name: string, stored: string) => (typed.has(name) ? typed.text(name) : stored)
    const here = pullPath(repo.full_name, pull.number)
    const open = pull.status === 'draft' || pull.status === 'open'
    const bases = branches.includes(pull.base.ref) ? branches : [pull.base.ref, ...branches]
    return (
      <RepoFrame visit={visit} repo={repo} title={`Edit #${pull.number}`} current="pulls" width="narrow">
        <PageHead title={`Edit pull request #${pull.number}`} />
        <Card>
          <Form action={`${here}/edit`} csrf={visit.csrf} error={formError(visit, ...FIELDS)}>
            <Field name="title" label="Title" required maxlength={256} value={kept('title', pull.title)} error={fieldError(visit, 'title')} />
            <TextArea name="body" label="Description" rows={9} value={kept('body', pull.body)} error={fieldError(visit, 'body')} />
            {open && (
              <Select name="base" label="Into" required options={bases.map((value) => ({ value, label: value }))} value={kept('base', pull.base.ref)} error={fieldError(visit, 'base')} />
            )}
            {repo.permissions.triage && (
              <>
                <Field
                  name="labels" label="Labels" hint="Separated by commas; a new name makes a new label." value={kept('labels', pull.labels.join(', '))}
                  error={fieldError(visit, 'labels')}
                />
                <Field
                  name="assignees" label="Assignees" mono hint="Usernames, separated by commas." value={kept('assignees', pull.assignees.map(({ username }) => username).join(', '))}
                  error={fieldError(visit, 'assignees')}
                />
              </>
            )}
            {open && repo.permissions.write && (
              <>
                <input type="hidden" name="merging" value="1" />
                <Checkbox
                  name="auto_merge" label="Merge by itself" hint="As soon as nothing stands in the way."
                  checked={typed.has('merging') ? typed.ticked('auto_merge') : pull.auto_merge}
                />
              </>
            )}
            <FormActions>
              <Button look="primary">Save</Button>
              <a href={here}>Cancel</a>
            </FormActions>
          </Form>
        </Card>
      </RepoFrame>
    )
  },
})

export const editPullForm = form({
  path: '/:workspace/:repo/pull/:number/edit',
  page: editPullPage,
  operation: updatePull,
  // What the page did not offer is left as it is.
  input: (fields, visit) => ({
    repo: repoOf(visit), number: numberOf(visit) ?? 0, title: fields.text('title').trim(), body: fields.text('body'), base: fields.optional('base'),
    ...(fields.has('labels') ? { labels: fields.list('labels', ',') } : {}),
    ...(fields.has('assignees') ? { assignees: fields.list('assignees', /[\s,]+/) } : {}),
    ...(fields.has('merging') ? { auto_merge: fields.ticked('auto_merge') } : {}),
  }),
  done: (pull, visit) => flashTo(visit, pullPath(pull.repo, pull.number), 'saved'),
})
