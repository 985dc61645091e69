import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useComputedColorScheme } from '@mantine/core'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { styleNonce } from '../../../shell/style-nonce.ts'
import type { Problem } from '../yaml/yaml.ts'

export type CodeEditorHandle = { selectLine: (line: number) => void }

type Props = {
  label: string
  describedBy: string
  text: string
  problems: Problem[]
  readOnly: boolean
  onChange: (text: string) => void
  ref?: Ref<CodeEditorHandle>
}

/** Marks a change that the page made, not the person. */
const fromPage = Annotation.define<boolean>()

/** A YAML editor with errors at their lines. Tab indents; Escape lets the next Tab leave. */
export function CodeEditor({ label, describedBy, text, problems, readOnly, onChange, ref }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const parts = useRef({ attributes: new Compartment(), theme: new Compartment() })
  const isDark = useComputedColorScheme('light') === 'dark'
  const write = useRef(onChange)
  write.current = onChange

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once; the effects below update it.
  useEffect(() => {
    const listener = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (docChanged && !transactions.some((each) => each.annotation(fromPage)))
        write.current(state.doc.toString())
    })
    const { attributes, theme } = parts.current
    const created = new EditorView({
      doc: text,
      parent: frame.current!,
      extensions: [...fixed, listener, attributes.of([]), theme.of(themeOf(isDark))],
    })
    view.current = created
    return () => created.destroy()
  }, [])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === text) return
    const changes = { from: 0, to: editor.state.doc.length, insert: text }
    editor.dispatch({ changes, annotations: fromPage.of(true) })
  }, [text])

  const invalid = problems.length > 0
  useEffect(() => {
    const { attributes, theme } = parts.current
    const content = EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-describedby': describedBy,
      'aria-invalid': String(invalid),
      ...(readOnly ? { 'aria-readonly': 'true' } : {}),
      spellcheck: 'false',
      autocapitalize: 'off',
    })
    const extension = [content, EditorState.readOnly.of(readOnly)]
    view.current?.dispatch({
      effects: [attributes.reconfigure(extension), theme.reconfigure(themeOf(isDark))],
    })
  }, [label, describedBy, invalid, readOnly, isDark])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the text moves the lines.
  useEffect(() => {
    const editor = view.current
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, problems)))
  }, [problems, text])

  useImperativeHandle(ref, () => ({
    selectLine(number) {
      const editor = view.current
      if (!editor) return
      const { from, to } = lineAt(editor.state, number)
      editor.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true })
      editor.focus()
    },
  }))
  return <div ref={frame} />
}

function lineAt({ doc }: EditorState, number: number) {
  return doc.line(Math.min(Math.max(1, number), doc.lines))
}

function diagnosticsOf(state: EditorState, problems: Problem[]): Diagnostic[] {
  return problems.map(({ line: number, message }) => {
    const line = lineAt(state, number)
    const indent = /^\s*/.exec(line.text)?.[0].length ?? 0
    return { from: Math.min(line.to, line.from + indent), to: line.to, severity: 'error', message }
  })
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--mr-accent)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--mr-warning)' },
  { tag: [tags.comment, tags.meta], color: 'var(--mantine-color-dimmed)' },
])

/** The browser would keep the colour of replaced text with an inline style, which the policy refuses. */
const plainReplacement = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { state } = view
    if (inputType !== 'insertText' || data === null || state.selection.main.empty) return false
    if (view.composing || state.readOnly) return false
    view.dispatch(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})

const fixed: Extension[] = [
  EditorView.cspNonce.of(styleNonce),
  plainReplacement,
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
  yaml(),
  syntaxHighlighting(colours),
  keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
]

function themeOf(dark: boolean): Extension {
  return EditorView.theme(
    {
      '&': { backgroundColor: 'var(--mr-surface)', fontSize: '13px' },
      // The class comes a moment after the focus.
      '&.cm-focused, &:focus-within': { outline: '2px solid var(--mr-accent)', outlineOffset: '-2px' },
      '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '20px' },
      '.cm-content': { minHeight: '360px', padding: '12px 0', caretColor: 'var(--mantine-color-text)' },
      '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
      '.cm-gutters': {
        backgroundColor: 'var(--mr-surface)',
        color: 'var(--mantine-color-dimmed)',
        borderRight: '1px solid var(--mr-line)',
      },
      '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--mr-hover)' },
      // Translucent, so that the selection shows through.
      '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--mr-hover) 60%, transparent)' },
      '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
        background: 'var(--mr-active-background)',
      },
      '.cm-tooltip': {
        backgroundColor: 'var(--mr-surface)',
        border: '1px solid var(--mr-line)',
        color: 'var(--mantine-color-text)',
      },
      '.cm-diagnostic-error': { borderLeft: '3px solid var(--mr-bad)' },
      '.cm-panels': { backgroundColor: 'var(--mr-surface)', color: 'var(--mantine-color-text)' },
    },
    { dark },
  )
}
