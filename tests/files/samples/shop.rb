#!/usr/bin/env ruby
# frozen_string_literal: true

# Orders of a shop.

require "json"
require_relative "stock/shelf"
autoload :Report, "shop/report"

# A shop.
module Shop
  VERSION = "1.2"
  # One order.
  class Order < Base::Record
    include Comparable
    attr_accessor :number, :title

    # Makes one.
    def initialize(number, title: nil, *rest, &block)
    end

    def self.find(id) = new(id)

    class << self
      def all; end

      private

      def secret; end
    end

    def open?
      true
    end
    alias_method :opened?, :open?

    def later; end
    private :later

    private

    def hidden; end

    public def shown; end
  end

  Line = Struct.new(:amount, :what) do
    def total; end
  end
end

def helper(a, b = 1)
end

Shop.run if __FILE__ == $0
