//! The modules of a crate and which file uses what of which other, as the source says it: names are followed through
//! imports and re-exports to the file that defines them. Methods are not followed, since that needs types.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemMod, ItemUse, Macro, UseTree, Visibility};

/// Imports may lead to imports; more steps than this are a name that leads to itself.
const STEPS: usize = 16;

type ModuleId = usize;

#[derive(Default)]
struct Module {
    file: PathBuf,
    parent: Option<ModuleId>,
    children: BTreeMap<String, ModuleId>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    globs: Vec<Vec<String>>,
    /// Every path in its code.
    mentions: BTreeSet<Vec<String>>,
}

struct Import {
    name: String,
    path: Vec<String>,
    re_export: bool,
}

#[derive(Clone, Copy)]
enum Meaning {
    Module(ModuleId),
    ItemOf(ModuleId),
}

pub(super) struct Source {
    modules: Vec<Module>,
}

impl Source {
    /// `read` gives the text of a file by its path below `src`.
    pub(super) fn read(read: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut source = Self { modules: Vec::new() };
        Reader { source: &mut source, read, module: 0, folder: PathBuf::new() }
            .read_file(Path::new("lib.rs"), None);
        source
    }

    /// For each file, the files that it uses, with one path that says so.
    pub(super) fn uses(&self) -> BTreeMap<PathBuf, BTreeMap<PathBuf, String>> {
        let mut uses: BTreeMap<PathBuf, BTreeMap<PathBuf, String>> = BTreeMap::new();
        for (id, module) in self.modules.iter().enumerate() {
            let used = uses.entry(module.file.clone()).or_default();
            let mentions = module.mentions.iter().map(|path| (path, false));
            let imports = module.imports.iter().map(|import| (&import.path, import.re_export));
            for (path, re_export) in mentions.chain(imports) {
                let Some(Meaning::ItemOf(owner)) = self.resolve(id, path, STEPS) else { continue };
                let file = &self.modules[owner].file;
                if *file != module.file && !(re_export && self.is_below(owner, id)) {
                    used.entry(file.clone()).or_insert_with(|| path.join("::"));
                }
            }
        }
        uses
    }

    fn is_below(&self, module: ModuleId, above: ModuleId) -> bool {
        module == above || self.modules[module].parent.is_some_and(|parent| self.is_below(parent, above))
    }

    fn resolve(&self, from: ModuleId, path: &[String], steps: usize) -> Option<Meaning> {
        let (first, rest) = path.split_first()?;
        let steps = steps.checked_sub(1)?;
        let start = match first.as_str() {
            "crate" => Meaning::Module(0),
            "self" => Meaning::Module(from),
            "super" => Meaning::Module(self.modules[from].parent?),
            name => self.look_up(from, name, rest.is_empty(), steps)?,
        };
        rest.iter().enumerate().try_fold(start, |meaning, (at, name)| match meaning {
            // A variant or an associated function.
            Meaning::ItemOf(_) => Some(meaning),
            Meaning::Module(id) if name == "super" => self.modules[id].parent.map(Meaning::Module),
            Meaning::Module(id) => self.look_up(id, name, at + 1 == rest.len(), steps),
        })
    }

    /// What a name means in a module. A module and an item may share it: the last name of a path is the item's.
    fn look_up(&self, id: ModuleId, name: &str, is_last: bool, steps: usize) -> Option<Meaning> {
        let module = self.modules.get(id)?;
        let item = || module.items.contains(name).then_some(Meaning::ItemOf(id));
        let imported = || {
            let mut named = module.imports.iter().filter(|import| import.name == name);
            named.find_map(|import| self.resolve(id, &import.path, steps))
        };
        let child = || module.children.get(name).copied().map(Meaning::Module);
        let globbed = || {
            module.globs.iter().find_map(|glob| match self.resolve(id, glob, steps)? {
                Meaning::Module(id) => self.look_up(id, name, is_last, steps.checked_sub(1)?),
                Meaning::ItemOf(_) => None,
            })
        };
        let found = if is_last {
            item().or_else(imported).or_else(child)
        } else {
            child().or_else(item).or_else(imported)
        };
        found.or_else(globbed)
    }
}

/// Reads one module after the other into the source, without those for tests.
struct Reader<'a> {
    source: &'a mut Source,
    read: &'a dyn Fn(&Path) -> Option<String>,
    module: ModuleId,
    /// Where the files of the module's children are.
    folder: PathBuf,
}

impl Reader<'_> {
    fn read_file(&mut self, file: &Path, parent: Option<ModuleId>) -> ModuleId {
        let text = (self.read)(file).unwrap_or_else(|| panic!("{} is not there", file.display()));
        let syntax = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let stem = file.file_stem().unwrap();
        let above = file.parent().unwrap();
        let holds_its_folder = stem == "mod" || stem == "lib";
        let folder = if holds_its_folder { above.to_owned() } else { above.join(stem) };
        self.read_module(file, parent, folder, &syntax.items)
    }

    fn read_module(
        &mut self,
        file: &Path,
        parent: Option<ModuleId>,
        folder: PathBuf,
        items: &[Item],
    ) -> ModuleId {
        let module = self.source.modules.len();
        self.source.modules.push(Module { file: file.to_owned(), parent, ..Module::default() });
        let mut reader = Reader { source: self.source, read: self.read, module, folder };
        for item in items {
            reader.visit_item(item);
        }
        module
    }

    fn current(&mut self) -> &mut Module {
        &mut self.source.modules[self.module]
    }

    fn import(&mut self, mut path: Vec<String>, tree: &UseTree, re_export: bool) {
        match tree {
            UseTree::Path(step) => {
                path.push(step.ident.to_string());
                self.import(path, &step.tree, re_export);
            }
            UseTree::Name(name) if name.ident == "self" => {
                let name = path.last().cloned().unwrap_or_default();
                self.current().imports.push(Import { name, path, re_export });
            }
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.current().imports.push(Import { name: name.ident.to_string(), path, re_export });
            }
            UseTree::Rename(renamed) => {
                if renamed.ident != "self" {
                    path.push(renamed.ident.to_string());
                }
                self.current().imports.push(Import { name: renamed.rename.to_string(), path, re_export });
            }
            UseTree::Glob(_) => self.current().globs.push(path),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(path.clone(), tree, re_export);
                }
            }
        }
    }

    /// Macros are read for the paths among their tokens.
    fn mention_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.mention(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    self.mention(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.mention_tokens(group.stream());
                    }
                }
            }
        }
        self.mention(path);
    }

    fn mention(&mut self, path: Vec<String>) {
        self.current().mentions.insert(path);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = attributes_and_name(item);
        if is_for_tests(attributes) {
            return;
        }
        self.current().items.extend(name);
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !matches!(item, ImplItem::Fn(function) if is_for_tests(&function.attrs)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let name = item.ident.to_string();
        let parent = Some(self.module);
        let child = match &item.content {
            Some((_, items)) => {
                let file = self.current().file.clone();
                self.read_module(&file, parent, self.folder.join(&name), items)
            }
            None => {
                let beside = self.folder.join(format!("{name}.rs"));
                let below = self.folder.join(&name).join("mod.rs");
                let file = if (self.read)(&beside).is_some() { beside } else { below };
                self.read_file(&file, parent)
            }
        };
        self.current().children.insert(name, child);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let re_export = !matches!(item.vis, Visibility::Inherited);
        self.import(Vec::new(), &item.tree, re_export);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.mention(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.visit_path(&called.path);
        self.mention_tokens(called.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

fn attributes_and_name(item: &Item) -> (&[Attribute], Option<String>) {
    let (attributes, name) = match item {
        Item::Const(i) => (&i.attrs, Some(&i.ident)),
        Item::Enum(i) => (&i.attrs, Some(&i.ident)),
        Item::Fn(i) => (&i.attrs, Some(&i.sig.ident)),
        Item::Static(i) => (&i.attrs, Some(&i.ident)),
        Item::Struct(i) => (&i.attrs, Some(&i.ident)),
        Item::Trait(i) => (&i.attrs, Some(&i.ident)),
        Item::Type(i) => (&i.attrs, Some(&i.ident)),
        Item::Union(i) => (&i.attrs, Some(&i.ident)),
        Item::Macro(i) => (&i.attrs, i.ident.as_ref()),
        Item::Impl(i) => (&i.attrs, None),
        Item::Mod(i) => (&i.attrs, None),
        Item::Use(i) => (&i.attrs, None),
        _ => return (&[], None),
    };
    (attributes, name.map(ToString::to_string))
}
