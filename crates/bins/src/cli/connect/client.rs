//! The clients: where each keeps its file, and how a server is written there.

use super::document::Format;
use super::passed_settings::PassedSettings;
use super::server::{KEY_HERE, NAME, Server};
use crate::cli::CliError;
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
    Zed,
    Codex,
    Gemini,
    Windsurf,
    Cline,
    Continue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    User,
    Project,
}

/// Where a person's files are.
#[derive(Debug, Clone)]
pub struct Folders {
    pub home: PathBuf,
    /// Where desktop programs keep their settings.
    pub config: PathBuf,
    pub project: PathBuf,
}

impl Folders {
    pub fn of_this_user() -> Result<Self, CliError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = set("HOME").ok_or_else(|| {
            CliError::Refused("HOME is not set, so the clients' files cannot be found; set it".to_owned())
        })?;
        let config = if cfg!(target_os = "macos") {
            home.join("Library/Application Support")
        } else {
            set("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"))
        };
        let project = std::env::current_dir()?;
        Ok(Self { home, config, project })
    }
}

impl Client {
    /// The word for it on the command line.
    pub fn id(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::Zed => "Zed",
            Self::Codex => "Codex CLI",
            Self::Gemini => "Gemini CLI",
            Self::Windsurf => "Windsurf",
            Self::Cline => "Cline",
            Self::Continue => "Continue",
        }
    }

    /// `None` for a client whose file is YAML: a person edits that.
    pub const fn format(self) -> Option<Format> {
        match self {
            Self::Codex => Some(Format::Toml),
            Self::Continue => None,
            _ => Some(Format::Json),
        }
    }

    /// The key under which the file holds its servers.
    pub const fn section(self) -> &'static str {
        match self {
            Self::Vscode => "servers",
            Self::Zed => "context_servers",
            Self::Codex => "mcp_servers",
            _ => "mcpServers",
        }
    }

    pub fn file(self, scope: Scope, folders: &Folders) -> Option<PathBuf> {
        match scope {
            Scope::User => Some(self.user_file(folders)),
            Scope::Project => self.project_file().map(|file| folders.project.join(file)),
        }
    }

    fn user_file(self, Folders { home, config, .. }: &Folders) -> PathBuf {
        match self {
            Self::ClaudeCode => home.join(".claude.json"),
            Self::ClaudeDesktop => config.join("Claude/claude_desktop_config.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::Vscode => config.join("Code/User/mcp.json"),
            // Zed keeps to this folder on macOS too.
            Self::Zed if cfg!(target_os = "macos") => home.join(".config/zed/settings.json"),
            Self::Zed => config.join("zed/settings.json"),
            Self::Codex => home.join(".codex/config.toml"),
            Self::Gemini => home.join(".gemini/settings.json"),
            Self::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
            Self::Cline => home.join(".cline/data/settings/cline_mcp_settings.json"),
            Self::Continue => home.join(".continue/mcpServers/svc.yaml"),
        }
    }

    pub const fn project_file(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some(".mcp.json"),
            Self::Cursor => Some(".cursor/mcp.json"),
            Self::Vscode => Some(".vscode/mcp.json"),
            Self::Zed => Some(".zed/settings.json"),
            Self::Codex => Some(".codex/config.toml"),
            Self::Gemini => Some(".gemini/settings.json"),
            Self::Continue => Some(".continue/mcpServers/svc.yaml"),
            Self::ClaudeDesktop | Self::Windsurf | Self::Cline => None,
        }
    }

    /// Whether a key can be named by its variable in the client's file.
    pub const fn reads_variables(self) -> bool {
        !matches!(self, Self::ClaudeDesktop | Self::Zed | Self::Cline)
    }

    /// Our entry, as this client writes one.
    pub fn entry(self, server: &Server) -> Value {
        match server {
            Server::Local { command, env } => self.local(command, env),
            Server::Remote { url, key_env } => self.remote(url, key_env),
        }
    }

    /// How the client's file names a variable, where it can.
    fn variable(self, name: &str) -> Option<String> {
        match self {
            Self::ClaudeCode | Self::Gemini => Some(format!("${{{name}}}")),
            Self::Cursor | Self::Vscode | Self::Windsurf => Some(format!("${{env:{name}}}")),
            Self::Continue => Some(format!("${{{{ secrets.{name} }}}}")),
            Self::ClaudeDesktop | Self::Zed | Self::Cline | Self::Codex => None,
        }
    }

    fn local(self, command: &str, passed: &PassedSettings) -> Value {
        let plain = passed.plain.iter().map(|(name, value)| (name.clone(), json!(value)));
        let named = passed.secret.iter().filter_map(|name| Some((name.clone(), json!(self.variable(name)?))));
        let env: Map<String, Value> = plain.chain(named).collect();
        match self {
            // Codex passes on the variables that it is told the names of.
            Self::Codex if !passed.secret.is_empty() => {
                json!({ "command": command, "args": [], "env_vars": passed.secret, "env": env })
            }
            Self::ClaudeCode | Self::Vscode => {
                json!({ "type": "stdio", "command": command, "args": [], "env": env })
            }
            Self::Continue => {
                json!({ "name": NAME, "type": "stdio", "command": command, "args": [], "env": env })
            }
            _ => json!({ "command": command, "args": [], "env": env }),
        }
    }

    fn remote(self, url: &str, key_env: &str) -> Value {
        let bearer = |key: &str| json!({ "Authorization": format!("Bearer {key}") });
        let braces = bearer(&format!("${{{key_env}}}"));
        let env_braces = bearer(&format!("${{env:{key_env}}}"));
        match self {
            Self::ClaudeCode => json!({ "type": "http", "url": url, "headers": braces }),
            Self::ClaudeDesktop => bridge(url, key_env),
            Self::Cursor => json!({ "url": url, "headers": env_braces }),
            Self::Vscode => json!({ "type": "http", "url": url, "headers": env_braces }),
            Self::Zed => json!({ "url": url, "headers": bearer(KEY_HERE) }),
            Self::Codex => json!({ "url": url, "bearer_token_env_var": key_env }),
            Self::Gemini => json!({ "httpUrl": url, "headers": braces }),
            Self::Windsurf => json!({ "serverUrl": url, "headers": env_braces }),
            Self::Cline => json!({ "type": "streamableHttp", "url": url, "headers": bearer(KEY_HERE) }),
            Self::Continue => json!({
                "name": NAME,
                "type": "streamable-http",
                "url": url,
                "requestOptions": { "headers": bearer(&format!("${{{{ secrets.{key_env} }}}}")) },
            }),
        }
    }
}

/// Claude Desktop starts programs only. This one, from npm, passes everything on to an address.
fn bridge(url: &str, key_env: &str) -> Value {
    let mut args = vec!["-y".to_owned(), "mcp-remote".to_owned(), url.to_owned()];
    if url.starts_with("http://") {
        args.push("--allow-http".to_owned());
    }
    args.extend(["--header".to_owned(), format!("Authorization: Bearer ${{{key_env}}}")]);
    json!({ "command": "npx", "args": args, "env": { key_env: KEY_HERE } })
}
