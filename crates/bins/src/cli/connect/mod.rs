//! `svc connect`: the configuration that makes a client start, or reach, this memory.

mod client;
mod document;
mod fault;
mod file;
mod json;
mod merge;
mod passed_settings;
mod server;
mod toml;
mod yaml;

pub use client::{Client, Folders, Scope};
pub use document::Format;
pub use fault::Fault;
pub use merge::{Existing, Merged, merge, remove};
pub use passed_settings::PassedSettings;
pub use server::{NAME, Server};

use super::CliError;
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::Path;

#[derive(Debug, Args)]
pub struct Command {
    /// Which client; without it, all of them are listed with the files that they read.
    client: Option<Client>,
    /// Reach a running svc-server at this address, such as http://127.0.0.1:8080/mcp, instead of starting svc-mcp.
    #[arg(long, value_name = "URL")]
    http: Option<String>,
    /// The environment variable that holds the API key for --http. The key itself is never written.
    #[arg(long, value_name = "NAME", default_value = "SVC_API_KEY", requires = "http")]
    key_env: String,
    /// Write it into the client's file. What is there stays, and a copy of the file is kept beside it.
    #[arg(long, requires = "client")]
    write: bool,
    /// For all your projects, or for the one in this folder.
    #[arg(long, value_enum, default_value = "user")]
    scope: Scope,
    /// With --write: replace an entry of ours that says something else.
    #[arg(long, requires = "write")]
    force: bool,
    /// Take our entry out of the client's file again. All else stays, and a copy of the file is kept beside it.
    #[arg(long, requires = "client", conflicts_with_all = ["write", "http"])]
    remove: bool,
}

impl Command {
    pub fn run(self, out: &mut impl Write) -> Result<(), CliError> {
        let folders = Folders::of_this_user()?;
        let Some(client) = self.client else { return list(&folders, out) };
        let path = client.file(self.scope, &folders).ok_or_else(|| {
            CliError::Refused(format!(
                "{} has no file for one project; leave out --scope project",
                client.name()
            ))
        })?;
        let Some(format) = client.format() else { return self.by_hand(client, &path, out) };
        if self.remove {
            return disconnect(client, format, &path, out);
        }
        let server = self.server()?;
        let existing = if self.force { Existing::Replace } else { Existing::Keep };
        if self.write {
            write(client, format, &server, &path, existing, out)
        } else {
            show(client, format, &server, &path, out)
        }
    }

    fn server(&self) -> Result<Server, CliError> {
        match &self.http {
            Some(url) => Server::remote(url, &self.key_env),
            None => Server::local(),
        }
    }

    /// For a client whose file is YAML.
    fn by_hand(&self, client: Client, path: &Path, out: &mut impl Write) -> Result<(), CliError> {
        let (name, section, path) = (client.name(), client.section(), path.display());
        if self.write {
            return Err(CliError::Refused(format!(
                "{name} reads YAML, which this program does not edit; leave out --write, and put what it shows into \
                 {path} yourself"
            )));
        }
        if self.remove {
            writeln!(
                out,
                "{name} reads YAML, which this program does not edit. Remove the item with the name '{NAME}' under \
                 {section} from {path}, and start {name} again. The memory itself stays."
            )?;
            return Ok(());
        }
        let server = self.server()?;
        writeln!(
            out,
            "{name} reads {path}. Put this into it; where the file is there already, add the item under {section}:\n"
        )?;
        writeln!(out, "{}", yaml::file(section, &client.entry(&server)).trim_end())?;
        note(client, &server, out)
    }
}

fn list(folders: &Folders, out: &mut impl Write) -> Result<(), CliError> {
    writeln!(out, "Give one of these to see what to put into its file, and --write to have it put there:\n")?;
    for client in Client::value_variants() {
        let user = client.file(Scope::User, folders).unwrap_or_default();
        writeln!(out, "  {:<15} {:<15} {}", client.id(), client.name(), user.display())?;
        if let Some(project) = client.project_file() {
            writeln!(out, "  {:<15} {:<15} {project}  (--scope project)", "", "")?;
        }
    }
    Ok(())
}

fn show(
    client: Client,
    format: Format,
    server: &Server,
    path: &Path,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let Merged::Changed { text, .. } =
        merge(format, client.section(), "", &client.entry(server), Existing::Keep)?
    else {
        return Ok(());
    };
    writeln!(out, "{} reads {}. Put this into it, or let --write do it:\n", client.name(), path.display())?;
    writeln!(out, "{}", text.trim_end())?;
    note(client, server, out)
}

fn write(
    client: Client,
    format: Format,
    server: &Server,
    path: &Path,
    existing: Existing,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let refused = |why: String| CliError::Refused(format!("{}: {why}", path.display()));
    let old = file::read(path).map_err(|e| refused(e.to_string()))?;
    let entry = client.entry(server);
    let merged = merge(format, client.section(), old.as_deref().unwrap_or_default(), &entry, existing)
        .map_err(|e| refused(e.to_string()))?;
    match merged {
        Merged::Same => {
            writeln!(out, "{} is connected already; {} stays as it is.", client.name(), path.display())?
        }
        Merged::Differs { there, ours } => {
            return Err(refused(format!(
                "it has an entry '{NAME}' that says something else, and was left as it is; --force replaces it.\n\
                 There:\n{there}\nOurs:\n{ours}"
            )));
        }
        Merged::Changed { text, replaced } => {
            let kept = file::replace(path, old.as_deref(), &text).map_err(|e| refused(e.to_string()))?;
            writeln!(out, "Added '{NAME}' to {}. Start {} again to use it.", path.display(), client.name())?;
            if let Some(there) = replaced {
                writeln!(out, "It replaces this entry:\n{there}")?;
            }
            if let Some(kept) = kept {
                writeln!(out, "The file as it was: {}", kept.display())?;
            }
            note(client, server, out)?;
        }
    }
    Ok(())
}

fn disconnect(client: Client, format: Format, path: &Path, out: &mut impl Write) -> Result<(), CliError> {
    let refused = |why: String| CliError::Refused(format!("{}: {why}", path.display()));
    let old = file::read(path).map_err(|e| refused(e.to_string()))?;
    let text = old.as_deref().unwrap_or_default();
    let Some((new, removed)) = remove(format, client.section(), text).map_err(|e| refused(e.to_string()))?
    else {
        writeln!(out, "{} has no entry '{NAME}'; nothing was changed.", path.display())?;
        return Ok(());
    };
    let kept = file::replace(path, old.as_deref(), &new).map_err(|e| refused(e.to_string()))?;
    writeln!(
        out,
        "Removed '{NAME}' from {}. Start {} again to end it there. The memory itself stays. The entry was:\n{removed}",
        path.display(),
        client.name()
    )?;
    if let Some(kept) = kept {
        writeln!(out, "The file as it was: {}", kept.display())?;
    }
    Ok(())
}

/// What a person still has to do about keys and other secrets.
fn note(client: Client, server: &Server, out: &mut impl Write) -> Result<(), CliError> {
    let key_env = match server {
        Server::Remote { key_env, .. } => key_env,
        Server::Local { env, .. } => return note_of_settings(client, env, out),
    };
    if client.reads_variables() {
        writeln!(out, "\nThe key is read from {key_env}: set it where {} starts.", client.name())?;
    } else {
        writeln!(
            out,
            "\n{} takes no variable here: put the key in place of {} yourself.",
            client.name(),
            server::KEY_HERE
        )?;
    }
    Ok(())
}

fn note_of_settings(client: Client, passed: &PassedSettings, out: &mut impl Write) -> Result<(), CliError> {
    let (name, secrets) = (client.name(), passed.secret.join(", "));
    if !passed.secret.is_empty() && client.reads_variables() {
        writeln!(
            out,
            "\nSecrets are named and not written: {secrets}. Set them where {name} starts, or svc-mcp does not open \
             this memory."
        )?;
    } else if !passed.secret.is_empty() {
        writeln!(
            out,
            "\nLeft out, because they are secrets and {name} takes no variable here: {secrets}. Put them under \"env\" \
             yourself, or svc-mcp does not open this memory."
        )?;
    }
    Ok(())
}
