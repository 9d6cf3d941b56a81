import { createIssue } from '#features/issues/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import {
  Button,
  Columns,
  Field,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  Row,
  SideBlock,
  TextArea,
} from '../../components/index.ts'
import { issuePath, repoPath, withQuery } from '../../paths.ts'
import { action, page, redirect, type Fields, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { AssigneesBlock, LabelsBlock, MilestoneBlock } from './pick-block.tsx'
import { loadIssueChoices, loadLabels } from './side-load.ts'
import { TemplateFields } from './template-fields.tsx'
import { loadIssueTemplates, type Guides } from './template-load.ts'
import { bodyOfAnswers, fieldName, findMissing, type IssueTemplate } from './templates.ts'
import { t } from '../../text.ts'

/** The value of `template` for an issue without one. */
const BLANK = 'blank'

const newIssuePath = (repo: string): string => repoPath(repo, '/issues/new')

async function loadNewIssue(visit: Visit) {
  const name = repoOf(visit)
  const query = visit.url.searchParams
  if (!visit.viewer)
    return redirect(`/login?next=${encodeURIComponent(visit.url.pathname + visit.url.search)}`, 302)
  const repo = await visit.call(getRepo, { repo: name })
  const found = await loadIssueTemplates(visit, repo)
  const wanted = visit.form.values.optional('template') ?? query.get('template')
  const template = found.templates.find(({ file }) => file === wanted) ?? null
  const isChoice = found.templates.length > 0 || found.config.links.length > 0
  const isPlain = !visit.form.values.has('title') && !query.has('title') && !query.has('body')
  if (template === null && isChoice && isPlain && (wanted !== BLANK || !found.config.blank))
    return redirect(`${newIssuePath(name)}/choose`, 302)
  const [labels, choices] = await Promise.all([
    loadLabels(visit, name, template?.labels ?? []),
    loadIssueChoices(visit, name, repo.permissions.triage),
  ])
  return {
    repo,
    template,
    guides: found.guides,
    isChoice,
    labels,
    ...choices,
  }
}

type Loaded = Exclude<Awaited<ReturnType<typeof loadNewIssue>>, { response: Response }>

const NewIssueSide = ({ visit, data }: { visit: Visit; data: Loaded }) => {
  const { repo, template, labels, milestones, people, guides } = data
  const { triage } = repo.permissions
  return (
    <>
      <LabelsBlock
        visit={visit}
        labels={labels}
        chosen={template?.labels ?? []}
        mayCreate={triage}
      />
      {triage && (
        <>
          <AssigneesBlock visit={visit} people={people} chosen={template?.assignees ?? []} />
          <MilestoneBlock visit={visit} milestones={milestones} />
        </>
      )}
      <GuideLinks guides={guides} />
    </>
  )
}

/** Links to what a contributor should read first. */
export const GuideLinks = ({ guides: { contributing, security } }: { guides: Guides }) =>
  contributing === null && security === null ? null : (
    <SideBlock title={t('Before you write')}>
      <ul class="bare-list">
        {contributing !== null && (
          <li>
            <a href={contributing}>{t('Contributing guidelines')}</a>
          </li>
        )}
        {security !== null && (
          <li>
            <a href={security}>{t('Security policy')}</a>
          </li>
        )}
      </ul>
    </SideBlock>
  )

const TextFields = ({ visit, data }: { visit: Visit; data: Loaded }) => {
  const { repo, template } = data
  const typed = visit.form.values
  return (
    <>
      <TextArea
        name="body"
        label={t('Description')}
        rows={9}
        hint={t('Markdown.')}
        markdown={repo.full_name}
        value={typed.optional('body') ?? visit.url.searchParams.get('body') ?? template?.body ?? ''}
        error={fieldError(visit, 'body')}
      />
      <TextArea
        name="checks"
        label={t('Acceptance checks')}
        rows={3}
        mono
        hint={t('One command per line. A pull request is accepted when all of them pass.')}
        value={typed.text('checks')}
        error={fieldError(visit, 'checks')}
      />
    </>
  )
}

const ownFields = (template: IssueTemplate | null): string[] => [
  'title',
  'body',
  'labels',
  'assignees',
  'milestone',
  'checks',
  ...(template?.fields ?? []).map((_, index) => fieldName(index)),
]

export const newIssuePage = page({
  path: '/:workspace/:repo/issues/new',
  load: loadNewIssue,
  view: (data, visit) => {
    const { repo, template, isChoice } = data
    const typed = visit.form.values
    return (
      <RepoFrame visit={visit} repo={repo} title={t('New issue')} current="issues">
        <PageHead
          title={
            template === null ? t('New issue') : t('New issue: {name}', { name: template.name })
          }
          lead={template?.about || undefined}
          actions={
            isChoice && (
              <LinkButton href={`${newIssuePath(repo.full_name)}/choose`}>
                {t('Choose another template')}
              </LinkButton>
            )
          }
        />
        <Form
          action={newIssuePath(repo.full_name)}
          csrf={visit.csrf}
          error={formError(visit, ...ownFields(template))}
        >
          {template !== null && <input type="hidden" name="template" value={template.file} />}
          <Columns where="right" side={<NewIssueSide visit={visit} data={data} />}>
            <div class="form">
              <Field
                name="title"
                label={t('Title')}
                required
                autofocus
                maxlength={256}
                hint={t('The problem or the goal, in one line.')}
                value={
                  typed.optional('title') ??
                  visit.url.searchParams.get('title') ??
                  template?.title ??
                  ''
                }
                error={fieldError(visit, 'title')}
              />
              {template !== null && template.fields !== null ? (
                <TemplateFields visit={visit} repo={repo} fields={template.fields} />
              ) : (
                <TextFields visit={visit} data={data} />
              )}
            </div>
          </Columns>
          <FormActions>
            <Button variant="primary">{t('Create issue')}</Button>
          </FormActions>
        </Form>
      </RepoFrame>
    )
  },
})

/** The body of the issue: the typed text, or the answers to the questions of a form. */
async function bodyOf(visit: Visit, repo: string, fields: Fields): Promise<string> {
  const file = fields.optional('template')
  if (file === undefined) return fields.text('body')
  const { templates } = await loadIssueTemplates(visit, await visit.call(getRepo, { repo }))
  const questions = templates.find((template) => template.file === file)?.fields
  if (!questions) return fields.text('body')
  const answersOf = (name: string) => fields.all(name)
  const missing = findMissing(questions, answersOf)
  if (missing !== null)
    throw invalid(missing.field, t('{label} is required.', { label: missing.label }))
  return bodyOfAnswers(questions, answersOf)
}

export const newIssueForm = action({
  path: '/:workspace/:repo/issues/new',
  page: newIssuePage,
  submit: async (visit, fields) => {
    const repo = repoOf(visit)
    const labels = fields.list('labels', ',')
    const checks = fields.list('checks')
    const assignees = fields.list('assignees', /[\s,]+/)
    const milestone = fields.optional('milestone')
    const issue = await visit.call(createIssue, {
      repo,
      title: fields.text('title').trim(),
      body: await bodyOf(visit, repo, fields),
      ...(labels.length > 0 ? { labels } : {}),
      ...(checks.length > 0 ? { checks } : {}),
      ...(assignees.length > 0 ? { assignees } : {}),
      ...(milestone === undefined ? {} : { milestone }),
    })
    return issuePath(issue.repo, issue.number)
  },
})

const ChoiceRow = ({ href, name, about }: { href: string; name: string; about: string }) => (
  <Row
    title={
      <a class="row-link" href={href}>
        {name}
      </a>
    }
    meta={about === '' ? undefined : about}
  />
)

const Choices = ({
  repo,
  data,
}: {
  repo: Repo
  data: Awaited<ReturnType<typeof loadIssueTemplates>>
}) => {
  const at = (template: string) => withQuery(newIssuePath(repo.full_name), { template })
  return (
    <List label={t('Issue templates')}>
      {data.templates.map(({ file, name, about }) => (
        <ChoiceRow href={at(file)} name={name} about={about} />
      ))}
      {data.config.links.map(({ url, name, about }) => (
        <ChoiceRow href={url} name={name} about={about || url} />
      ))}
      {data.guides.security !== null && (
        <ChoiceRow
          href={data.guides.security}
          name="Report a vulnerability"
          about={t('Read the security policy first.')}
        />
      )}
      {data.config.blank && (
        <ChoiceRow
          href={at(BLANK)}
          name={t('Blank issue')}
          about={t('Start without a template.')}
        />
      )}
    </List>
  )
}

/** The templates to choose from. Without any, the form itself. */
export const chooseTemplatePage = page({
  path: '/:workspace/:repo/issues/new/choose',
  load: async (visit) => {
    const name = repoOf(visit)
    const repo = await visit.call(getRepo, { repo: name })
    const data = await loadIssueTemplates(visit, repo)
    return data.templates.length + data.config.links.length === 0
      ? redirect(newIssuePath(name), 302)
      : { repo, data }
  },
  view: ({ repo, data }, visit) => (
    <RepoFrame visit={visit} repo={repo} title={t('New issue')} current="issues" width="narrow">
      <PageHead title={t('New issue')} lead={t('Choose what fits best.')} />
      <Choices repo={repo} data={data} />
      {data.guides.contributing !== null && (
        <p class="muted">
          <a href={data.guides.contributing}>{t('Contributing guidelines')}</a>
        </p>
      )}
    </RepoFrame>
  ),
})
