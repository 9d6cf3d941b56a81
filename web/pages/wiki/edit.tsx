import { deleteWikiPage, getWikiPage, setWikiPage, type WikiPage } from '#features/wiki/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  Breadcrumbs,
  Button,
  Field,
  Form,
  FormActions,
  LinkButton,
  Notice,
  PageHead,
  TextArea,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { Refusal } from '#lib/errors.ts'
import {
  action,
  type DirectResponse,
  type Fields,
  page,
  redirect,
  redirectWithFlash,
  type Visit,
} from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { BypassLinks } from '../security/bypass-links.tsx'
import { loadWiki, slugOf, titleOfSlug, wikiActionPath, wikiPath } from './frame.tsx'
import { rich, t } from '../../text.ts'

type EditData = {
  readonly repo: Repo
  /** Empty for a new page without a name yet. */
  readonly slug: string
  readonly title: string
  /** Null for a page that does not exist yet. */
  readonly present: WikiPage | null
  /** The address of the form. */
  readonly here: string
}

/** The sidebar and the footer have fixed names. */
const hasFixedTitle = (slug: string): boolean => slug === '_Sidebar' || slug === '_Footer'

async function requireWriter(visit: Visit): Promise<Repo | DirectResponse> {
  if (!visit.viewer) return redirect(`/login?next=${encodeURIComponent(visit.url.pathname)}`, 302)
  const { repo } = await loadWiki(visit)
  if (repo.archived)
    throw new Refusal('forbidden', t('This repository is archived. Nothing in it can be changed.'))
  if (!repo.permissions.write)
    throw new Refusal(
      'forbidden',
      t('Changing the wiki needs the role Write. Open an issue to propose a change.'),
    )
  return repo
}

/** Says that somebody else saved the page, and what saving again does. */
const ChangedMeanwhile = ({ data, visit }: { data: EditData; visit: Visit }) => {
  const { present, repo } = data
  const typed = visit.form.values
  if (!present || !typed.has('expected_revision')) return null
  if (typed.text('expected_revision') === present.revision) return null
  return (
    <Notice>
      {rich(
        '{name} changed this page while you were writing. <a>Read the new version</a> and take over what you need: saving now replaces it with your text.',
        {
          name: present.author.name,
          a: (inner) => (
            <a href={wikiPath(repo.full_name, present.slug)} target="_blank" rel="noopener">
              {inner}
            </a>
          ),
        },
      )}
    </Notice>
  )
}

const EditFields = ({ data, visit }: { data: EditData; visit: Visit }) => {
  const typed = visit.form.values
  const { present, slug } = data
  const typedOr = (name: string, stored: string) => (typed.has(name) ? typed.text(name) : stored)
  return (
    <>
      <input type="hidden" name="expected_revision" value={present?.revision ?? ''} />
      <input type="hidden" name="slug" value={slug} />
      {hasFixedTitle(slug) ? (
        <input type="hidden" name="title" value={data.title} />
      ) : (
        <Field
          name="title"
          label={t('Title')}
          required
          maxlength={200}
          autofocus={present === null}
          value={typedOr('title', data.title)}
          error={fieldError(visit, 'title') ?? fieldError(visit, 'slug')}
          hint={t('It also names the file. Another title renames the page.')}
        />
      )}
      <TextArea
        name="body"
        label={t('Text')}
        rows={20}
        markdown={data.repo.full_name}
        wiki
        unmarked
        value={typedOr('body', present?.body ?? '')}
        error={fieldError(visit, 'body')}
        hint={rich('Markdown. {code} links to another page.', { code: <code>[[Page]]</code> })}
      />
      <Field
        name="message"
        label={t('What changed')}
        maxlength={1000}
        placeholder={
          present
            ? t('Update {title}', { title: data.title })
            : data.title === ''
              ? t('Create the page')
              : t('Create {title}', { title: data.title })
        }
        value={typedOr('message', '')}
        error={fieldError(visit, 'message')}
        hint={t('For the history of the page.')}
      />
    </>
  )
}

const DeletePage = ({ data, visit }: { data: EditData; visit: Visit }) =>
  data.present === null ? null : (
    <details class="more">
      <summary>{t('Delete this page')}</summary>
      <Form
        action={wikiActionPath(data.repo.full_name, '_delete', data.present.slug)}
        csrf={visit.csrf}
        label={t('Delete this page')}
      >
        <p>{t('The history of the wiki keeps what the page said. Links to it lead nowhere.')}</p>
        <FormActions>
          <Button variant="danger">{t('Delete page')}</Button>
        </FormActions>
      </Form>
    </details>
  )

const EditView = ({ data, visit }: { data: EditData; visit: Visit }): Html => {
  const { repo, present, here } = data
  const title = present
    ? t('Edit {title}', { title: present.title })
    : hasFixedTitle(data.slug)
      ? t('New page: {title}', { title: data.title })
      : t('New page')
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={t('{title} · Wiki', { title })}
      current="wiki"
      noindex
    >
      <Breadcrumbs
        parts={[
          { label: t('Wiki'), href: wikiPath(repo.full_name) },
          ...(present
            ? [{ label: present.title, href: wikiPath(repo.full_name, present.slug) }]
            : []),
          { label: present ? t('Edit') : t('New page') },
        ]}
      />
      <PageHead title={title} />
      <ChangedMeanwhile data={data} visit={visit} />
      <Form
        action={here}
        csrf={visit.csrf}
        label={title}
        error={formError(visit, 'title', 'slug', 'body', 'message')}
      >
        <BypassLinks visit={visit} />
        <EditFields data={data} visit={visit} />
        <FormActions>
          <Button variant="primary">{present ? t('Save page') : t('Create page')}</Button>
          <LinkButton href={wikiPath(repo.full_name, present?.slug ?? '')} variant="quiet">
            {t('Cancel')}
          </LinkButton>
        </FormActions>
      </Form>
      <DeletePage data={data} visit={visit} />
    </RepoFrame>
  )
}

const view = (data: EditData, visit: Visit): Html => <EditView data={data} visit={visit} />

export const newWikiPage = page({
  path: '/:workspace/:repo/wiki/_new',
  load: async (visit): Promise<EditData | DirectResponse> => {
    const repo = await requireWriter(visit)
    if (!('full_name' in repo)) return repo
    const query = visit.url.searchParams
    return {
      repo,
      slug: (query.get('slug') ?? visit.form.values.text('slug')).slice(0, 1000),
      title: (query.get('title') ?? '').slice(0, 200),
      present: null,
      here: wikiActionPath(repo.full_name, '_new'),
    }
  },
  view,
})

export const editWikiPage = page({
  path: '/:workspace/:repo/wiki/_edit/*slug',
  load: async (visit): Promise<EditData | DirectResponse> => {
    const repo = await requireWriter(visit)
    if (!('full_name' in repo)) return repo
    const slug = slugOf(visit)
    const present = await visit.tryCall(getWikiPage, { repo: repoOf(visit), slug })
    return {
      repo,
      slug: present?.slug ?? slug,
      title: present?.title ?? titleOfSlug(slug),
      present,
      here: wikiActionPath(repo.full_name, '_edit', slug),
    }
  },
  view,
})

/** Saves a page. A new one has its title's name where no other was asked for. */
async function save(visit: Visit, fields: Fields): Promise<DirectResponse> {
  const revision = fields.text('expected_revision')
  const title = fields.text('title').trim()
  const slug = fields.text('slug')
  const saved = await visit.call(setWikiPage, {
    repo: repoOf(visit),
    slug: slug === '' ? title || 'new' : slug,
    title,
    body: fields.text('body'),
    message: fields.text('message'),
    expected_revision: revision === '' ? null : revision,
  })
  const key = revision === '' ? 'wiki-created' : 'wiki-saved'
  return redirectWithFlash(visit, wikiPath(repoOf(visit), saved.slug), key)
}

export const newWikiForm = action({
  path: '/:workspace/:repo/wiki/_new',
  page: newWikiPage,
  submit: save,
})

export const editWikiForm = action({
  path: '/:workspace/:repo/wiki/_edit/*slug',
  page: editWikiPage,
  submit: save,
})

export const deleteWikiForm = action({
  path: '/:workspace/:repo/wiki/_delete/*slug',
  page: editWikiPage,
  submit: async (visit) => {
    await visit.call(deleteWikiPage, { repo: repoOf(visit), slug: slugOf(visit) })
    return redirectWithFlash(visit, wikiPath(repoOf(visit)), 'wiki-deleted')
  },
})
