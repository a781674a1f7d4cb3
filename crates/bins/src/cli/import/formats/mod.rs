//! The forms of other memories, one file each.

mod chat;
mod fields;
mod graphiti;
mod letta;
mod lines;
mod markdown;
mod mcp_memory;
mod mem0;
mod openmemory;
mod plain;

use super::files::File;
use super::record::Reading;
use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One fact a line, as svc export writes it.
    Jsonl,
    /// A table with a header.
    Csv,
    /// mem0: get_all, the platform's API, an export, history.
    Mem0,
    /// The reference MCP memory server's file.
    McpMemory,
    /// OpenMemory's export, unpacked.
    Openmemory,
    /// Zep or Graphiti: nodes and edges.
    Graphiti,
    /// Letta: an agent file, or archival passages.
    Letta,
    /// Notes of basic-memory: files or folders.
    BasicMemory,
    /// Notes of Obsidian: files or folders.
    Obsidian,
    /// ChatGPT's saved memories.
    Chatgpt,
    /// Claude's memories.
    Claude,
}

impl Format {
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// How the files of a folder that are in this form end. There are none where it takes no folders.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::BasicMemory | Self::Obsidian => &["md", "markdown"],
            _ => &[],
        }
    }

    /// An error where a file is damaged, or in another form.
    pub fn read(self, files: &[File], reading: &mut Reading) -> Result<(), String> {
        let read = match self {
            Self::Jsonl => plain::read_jsonl,
            Self::Csv => plain::read_csv,
            Self::Mem0 => mem0::read,
            Self::McpMemory => mcp_memory::read,
            Self::Openmemory => openmemory::read,
            Self::Graphiti => graphiti::read,
            Self::Letta => letta::read,
            Self::BasicMemory | Self::Obsidian => markdown::read,
            Self::Chatgpt => chat::read_chatgpt,
            Self::Claude => chat::read_claude,
        };
        read(files, reading)
    }
}
