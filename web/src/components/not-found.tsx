import { Container } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { useHeadingFocus } from '../shell/heading-focus.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { shellTexts } from '../texts/shell.ts'
import { EmptyState } from './empty-state.tsx'
import { TextLink } from './links.tsx'

/** An unknown address, or one that the user may not see. */
export function NotFound() {
  usePageTitle(shellTexts.notFound.title)
  const heading = useHeadingFocus()
  return (
    <Container size="xs" py={96}>
      <EmptyState
        icon={<IconMapQuestion size={32} stroke={1.5} />}
        level={1}
        heading={heading}
        title={shellTexts.notFound.title}
        action={<TextLink to="/">{shellTexts.notFound.back}</TextLink>}
      >
        {shellTexts.notFound.text}
      </EmptyState>
    </Container>
  )
}

/** The same screen without the shell. */
export function NotFoundPage() {
  return (
    <main id="main">
      <NotFound />
    </main>
  )
}
