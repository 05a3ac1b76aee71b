//! A page of Markdown, taken apart.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::fs;
use std::path::{Path, PathBuf};

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Where it is.
    pub path: PathBuf,
    /// Its source.
    pub source: String,
    /// Paragraphs, list items, table cells and headings, as plain text.
    pub texts: Vec<Text>,
    /// Links and pictures.
    pub links: Vec<PageLink>,
    /// What a link can lead to behind `#`.
    pub anchors: Vec<String>,
    /// Code blocks.
    pub code: Vec<CodeBlock>,
}

/// A block of prose.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its line in the source.
    pub line: usize,
    /// Its text; a piece of code counts as one word each.
    pub text: String,
}

/// A link or picture.
#[derive(Clone, Debug)]
pub struct PageLink {
    /// Its line in the source.
    pub line: usize,
    /// Where it leads.
    pub target: String,
    /// It is a picture.
    pub is_picture: bool,
    /// The text of a link, or what is read out in place of a picture.
    pub text: String,
}

/// A code block.
#[derive(Clone, Debug)]
pub struct CodeBlock {
    /// Its line in the source.
    pub line: usize,
    /// Its language, empty if there is none.
    pub language: String,
    /// Its text.
    pub text: String,
}

impl Page {
    /// Reads a page.
    ///
    /// # Panics
    /// It can't be read.
    pub fn read(path: &Path) -> Page {
        let source = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Page::of(path, source)
    }

    /// A page with that source.
    pub fn of(path: &Path, source: String) -> Page {
        let mut reader = Reader::default();
        let parser = Parser::new_ext(&source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
        for (event, range) in parser.into_offset_iter() {
            let line = source[..range.start].matches('\n').count() + 1;
            reader.take(event, line);
        }
        let Reader { texts, links, anchors, code, .. } = reader;
        Page { path: path.into(), texts, links, anchors, code, source: source.clone() }
    }

    /// The name of its file.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

#[derive(Default)]
struct Reader {
    texts: Vec<Text>,
    links: Vec<PageLink>,
    anchors: Vec<String>,
    code: Vec<CodeBlock>,
    /// The block of prose that is open.
    open: Option<Text>,
    in_code: bool,
    in_link: bool,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, line: usize) {
        match event {
            Event::Start(tag) => self.start(tag, line),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code => {
                if let Some(block) = self.code.last_mut() {
                    block.text += &text;
                }
            }
            Event::Text(text) => self.add(&text, line),
            // A piece of code is a name, whatever is in it.
            Event::Code(code) => self.add(&format!("`{}`", code.replace([' ', '.'], "_")), line),
            Event::SoftBreak | Event::HardBreak => self.add(" ", line),
            Event::InlineHtml(html) | Event::Html(html) => {
                let id = html.split("id=\"").nth(1).and_then(|rest| rest.split('"').next());
                self.anchors.extend(id.map(String::from));
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, line: usize) {
        match tag {
            Tag::Paragraph | Tag::Item | Tag::TableCell | Tag::Heading { .. } => self.begin(line),
            Tag::CodeBlock(kind) => {
                self.close();
                self.in_code = true;
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => "(indented)".into(),
                };
                self.code.push(CodeBlock { line, language, text: String::new() });
            }
            Tag::Link { dest_url, .. } => self.link(line, &dest_url, false),
            Tag::Image { dest_url, .. } => self.link(line, &dest_url, true),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell => self.close(),
            TagEnd::Heading(_) => {
                if let Some(open) = &self.open {
                    self.anchors.push(slug(&open.text));
                }
                self.close();
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::Link | TagEnd::Image => self.in_link = false,
            _ => {}
        }
    }

    fn link(&mut self, line: usize, target: &str, is_picture: bool) {
        self.links.push(PageLink { line, target: target.into(), is_picture, text: String::new() });
        self.in_link = true;
    }

    fn begin(&mut self, line: usize) {
        self.close();
        self.open = Some(Text { line, text: String::new() });
    }

    fn close(&mut self) {
        self.texts.extend(self.open.take().filter(|text| !text.text.trim().is_empty()));
    }

    fn add(&mut self, text: &str, line: usize) {
        if let Some(link) = self.links.last_mut().filter(|_| self.in_link) {
            link.text += text;
        }
        self.open.get_or_insert(Text { line, text: String::new() }).text += text;
    }
}

/// What mdBook makes of a heading.
fn slug(heading: &str) -> String {
    let letter = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => c.to_lowercase().next(),
        _ => None,
    };
    heading.trim().chars().filter_map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_taken_apart() {
        let source = "# One `two`\n\nA *b* [c](d.md#e) `f g`.\n\n- item\n\n| h |\n| - |\n| cell |\n\n```sh\nrun\n```\n![seen](p.svg)\n";
        let page = Page::of(Path::new("p.md"), source.into());
        let texts: Vec<&str> = page.texts.iter().map(|text| text.text.as_str()).collect();
        assert_eq!(texts, ["One `two`", "A b c `f_g`.", "item", "h", "cell", "seen"]);
        assert_eq!(page.anchors, ["one-two"]);
        let links: Vec<(&str, bool)> = page.links.iter().map(|link| (link.target.as_str(), link.is_picture)).collect();
        assert_eq!(links, [("d.md#e", false), ("p.svg", true)]);
        assert_eq!((page.code[0].language.as_str(), page.code[0].text.as_str()), ("sh", "run\n"));
    }
}
