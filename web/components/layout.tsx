import { assetPath, translationsPath } from '../assets.ts'
import type { Child } from '../jsx/html.ts'
import { currentLocale, directionOf } from '../locale.ts'
import { userPath } from '../paths.ts'
import { Avatar, type ActorSummary } from './avatar.tsx'
import { LinkButton } from './button.tsx'
import { Flash, type FlashKind } from './flash.tsx'
import { CsrfField } from './form.tsx'
import { Icon, Mark } from './icon.tsx'
import { Menu } from './menu.tsx'
import { rich, t } from '../text.ts'

/** The signed-in user. */
export interface Viewer extends ActorSummary {
  site_admin?: boolean
  /** The number of unread notifications. Undefined hides the bell. */
  unread?: number
}

export interface LayoutProps {
  /** The title of the page, before the name of the product in the window title. */
  title: string
  viewer?: Viewer | null
  /** The CSRF token, for signing out. */
  csrf?: string
  flash?: { kind?: FlashKind; text: string } | null
  /** The header of a repository or workspace, across the whole width. */
  header?: Child
  /** The query in the search field and the repository that it searches. */
  search?: { value?: string; scope?: string; action?: string }
  theme?: 'light' | 'dark'
  /** Colours of changes: green and red, or blue and orange. */
  diffColours?: 'usual' | 'distinct'
  /** Wide pages (code, changes) use the whole window, narrow ones (forms) a column. */
  width?: 'normal' | 'wide' | 'narrow'
  /** A description for search engines and previews. */
  description?: string
  /** Keeps the page out of search engines. */
  noindex?: boolean
  /** Feeds and other versions of the page. */
  links?: readonly { rel: string; href: string; type?: string; title?: string }[]
  canonical?: string
  /**
   * The event stream of a live page, and the text that screen readers announce when it changes.
   * `tail` keeps the end of the page in view as it grows.
   */
  live?: { href: string; said: string; tail?: boolean }
  /** Whether forms that lead back to the page change it in place. */
  inPlace?: boolean
  children?: Child
}

const SearchField = ({ search }: { search: NonNullable<LayoutProps['search']> }) => (
  <form class="site-search" action={search.action ?? '/search'} method="get" role="search">
    <button type="submit" class="search-go" aria-label={t('Search')}>
      <Icon name="search" />
    </button>
    <input
      type="search"
      name="q"
      value={search.value}
      placeholder={t('Search')}
      aria-label={search.scope ? t('Search {scope}', { scope: search.scope }) : t('Search')}
      autocomplete="off"
      spellcheck="false"
      data-hotkey="/"
    />
    {search.scope && (
      <span class="search-hint" aria-hidden="true">
        {rich('Search {scope}', { scope: <bdi>{search.scope}</bdi> })}
      </span>
    )}
    <kbd class="js-only" aria-hidden="true">
      /
    </kbd>
  </form>
)

const ViewerMenu = ({ viewer, csrf }: { viewer: Viewer; csrf?: string }) => (
  <Menu
    class="viewer-menu"
    label={t('Menu of {username}', { username: viewer.username })}
    summary={<Avatar of={viewer} size={28} />}
    head={
      <>
        <strong>{viewer.name ?? viewer.username}</strong>
        {viewer.name && <span class="muted">{viewer.username}</span>}
      </>
    }
    items={[
      { label: t('Your page'), href: userPath(viewer.username), icon: 'user' },
      { label: t('Explore'), href: '/explore', icon: 'globe' },
      { label: t('Settings'), href: '/settings/profile', icon: 'settings' },
      { label: t('Appearance'), href: '/settings/appearance', icon: 'eye' },
      { label: t('Access tokens'), href: '/settings/tokens', icon: 'key' },
      ...(viewer.site_admin
        ? [{ label: t('Administration'), href: '/admin', icon: 'shield' as const }]
        : []),
      'line',
      {
        label: t('Sign out'),
        form: (
          <form action="/logout" method="post" data-once>
            <CsrfField csrf={csrf ?? ''} />
            <button type="submit" class="menu-button">
              <Icon name="logout" />
              <span>{t('Sign out')}</span>
            </button>
          </form>
        ),
      },
    ]}
  />
)

const Bell = ({ unread }: { unread: number | undefined }) =>
  unread === undefined ? null : (
    <a
      class="icon-link"
      href="/notifications"
      aria-label={
        unread > 0
          ? unread > 99
            ? t('Notifications, more than 99 unread')
            : t('Notifications, {unread} unread', { unread })
          : t('Notifications')
      }
      data-hotkey="g n"
    >
      <Icon name="bell" size={18} />
      {unread > 0 && (
        <span class="unread" aria-hidden="true">
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </a>
  )

const SiteHeader = ({ props }: { props: LayoutProps }) => (
  <header class="site-header">
    <a class="brand" href="/" aria-label={t('Hearth, home')}>
      <Mark />
      <span class="brand-name">Hearth</span>
    </a>
    <SearchField search={props.search ?? {}} />
    <div class="site-actions">
      <a
        class="icon-link jump-link"
        href="/search"
        aria-label={t('Go to')}
        data-jump={props.search?.scope ?? ''}
        title={t('Go to (Ctrl K)')}
      >
        <Icon name="arrow-right" size={18} />
      </a>
      {props.viewer ? (
        <>
          <Menu
            class="new-menu"
            label={t('Create new')}
            summary={<Icon name="plus" />}
            items={[
              { label: t('New repository'), href: '/new', icon: 'repo' },
              { label: t('New workspace'), href: '/workspaces/new', icon: 'workspace' },
            ]}
          />
          <Bell unread={props.viewer.unread} />
          <ViewerMenu viewer={props.viewer} csrf={props.csrf} />
        </>
      ) : (
        <LinkButton href="/login" small>
          {t('Sign in')}
        </LinkButton>
      )}
    </div>
  </header>
)

const THEME_COLOURS = { light: '#faf8f5', dark: '#161412' } as const

/** The colour of the browser's own frame. */
const ThemeColour = ({ theme }: { theme: LayoutProps['theme'] }) =>
  theme === undefined ? (
    <>
      <meta
        name="theme-color"
        media="(prefers-color-scheme: light)"
        content={THEME_COLOURS.light}
      />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={THEME_COLOURS.dark} />
    </>
  ) : (
    <meta name="theme-color" content={THEME_COLOURS[theme]} />
  )

/** The browser's script, after the translations of its texts. */
const Scripts = () => {
  const translations = translationsPath(currentLocale())
  return (
    <>
      {translations !== null && <script src={translations} defer />}
      <script src={assetPath('client.js')} defer />
    </>
  )
}

const LayoutHead = ({ props }: { props: LayoutProps }) => (
  <head>
    <meta charset="utf-8" />
    <title>
      {props.title === '' || props.title === 'Hearth' ? 'Hearth' : `${props.title} · Hearth`}
    </title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content={props.theme ?? 'light dark'} />
    <ThemeColour theme={props.theme} />
    {props.description && <meta name="description" content={props.description} />}
    {props.noindex && <meta name="robots" content="noindex" />}
    {props.canonical && <link rel="canonical" href={props.canonical} />}
    <link rel="stylesheet" href={assetPath('style.css')} />
    <link rel="icon" type="image/svg+xml" href={assetPath('favicon.svg')} />
    {props.links?.map((link) => (
      <link rel={link.rel} href={link.href} type={link.type} title={link.title} />
    ))}
    <Scripts />
  </head>
)

const SiteFooter = () => (
  <footer class="site-footer">
    <span class="footer-mark">
      <Mark size={18} /> Hearth
    </span>
    <nav aria-label={t('About this site')}>
      <ul>
        <li>
          <a href="/explore">{t('Explore')}</a>
        </li>
        <li>
          <a href="/docs/install">{t('Guide')}</a>
        </li>
        <li>
          <a href="/docs">{t('API')}</a>
        </li>
        <li>
          <a href="/settings/appearance">{t('Appearance')}</a>
        </li>
        <li class="js-only">
          <button type="button" class="link-button" data-shortcuts>
            {t('Keyboard shortcuts')}
          </button>
        </li>
      </ul>
    </nav>
  </footer>
)

/** A whole page, for `renderPage`. */
export const Layout = (props: LayoutProps) => (
  <html
    lang={currentLocale()}
    dir={directionOf(currentLocale()) === 'rtl' ? 'rtl' : undefined}
    data-theme={props.theme}
    data-diff={props.diffColours === 'distinct' ? 'distinct' : undefined}
  >
    <LayoutHead props={props} />
    <body>
      <a class="skip" href="#content">
        {t('Skip to content')}
      </a>
      <SiteHeader props={props} />
      {props.header}
      <main
        id="content"
        class={[
          'page',
          props.width === 'wide' && 'page-wide',
          props.width === 'narrow' && 'page-narrow',
        ]}
        tabindex="-1"
        data-in-place={props.inPlace}
        data-live={props.live?.href}
        data-said={props.live?.said}
        data-tail={props.live?.tail}
      >
        {props.flash && <Flash kind={props.flash.kind}>{props.flash.text}</Flash>}
        {props.children}
      </main>
      <SiteFooter />
    </body>
  </html>
)

/** The heading of a page in `main`: title, a line below it, actions. */
export const PageHead = ({
  title,
  lead,
  actions,
  level = 1,
}: {
  title: Child
  lead?: Child
  actions?: Child
  level?: 1 | 2
}) => (
  <div class="page-head">
    <div>
      {level === 1 ? <h1>{title}</h1> : <h2>{title}</h2>}
      {lead !== undefined && <p class="lead">{lead}</p>}
    </div>
    {actions !== undefined && <div class="actions">{actions}</div>}
  </div>
)

/** The path to the page. The last part is the page itself. */
export const Breadcrumbs = ({
  parts,
  label = t('Path'),
}: {
  parts: readonly { label: string; href?: string }[]
  label?: string
}) => (
  <nav class="crumbs" aria-label={label}>
    <ol>
      {parts.map((part, index) => (
        <li>
          {part.href && index < parts.length - 1 ? (
            <a href={part.href}>{part.label}</a>
          ) : (
            <span aria-current={index === parts.length - 1 ? 'page' : undefined}>{part.label}</span>
          )}
        </li>
      ))}
    </ol>
  </nav>
)
