import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Runner } from '../../src/pipeline/runner.ts'
import { readOne } from './readers.ts'

/** What is below one heading, without it. */
export type Section = { id: string; title: string; text: string }
export type LanguageTexts = {
  language: string
  sections: Section[]
  questions: { text: string; id: string }[]
}

/** A shorter text answers no question. */
const MIN_SECTION = 120

/** The Markdown files of one folder per language. Headings that occur once are the questions. */
export async function readLanguageTexts(
  folder: string,
  runner: Runner,
  signal: AbortSignal,
): Promise<LanguageTexts[]> {
  const texts: LanguageTexts[] = []
  for (const language of (await readdir(folder)).toSorted()) {
    const names = (await readdir(join(folder, language))).filter((name) => name.endsWith('.md')).toSorted()
    const found: (Section & { heading: string })[] = []
    for (const name of names) {
      const bytes = await readFile(join(folder, language, name))
      const document = { name, filetype: 'text/markdown', bytes }
      found.push(...sectionsOf(name, await readOne(runner, document, signal)))
    }
    const sections = found.filter(({ text }) => text.length >= MIN_SECTION)
    const isUnique = (heading: string) => found.filter((each) => each.heading === heading).length === 1
    const asked = sections.filter(({ title, heading }) => heading !== title && isUnique(heading))
    const questions = asked.map(({ heading, id }) => ({ text: heading, id }))
    texts.push({ language, sections: sections.map(({ heading: _, ...section }) => section), questions })
  }
  return texts
}

function sectionsOf(name: string, elements: { type: string; text: string }[]) {
  const title = elements.find(({ type }) => type === 'Title')?.text ?? name
  const sections: (Section & { heading: string })[] = []
  for (const { type, text } of elements) {
    if (type === 'Title')
      sections.push({ id: `texts.test/${name}/${sections.length}`, title, heading: text, text: '' })
    else if (sections.length > 0) sections.at(-1)!.text += `${text}\n`
  }
  return sections
}
